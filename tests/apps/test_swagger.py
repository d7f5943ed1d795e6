"""Swagger UI in front of a small API: an operation is opened, tried out and executed, and its answer read."""

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import mcp_types as types
import pytest

from tests.apps.page import Page, visiting
from tests.gateway import GatewayProcess
from tests.page_tools.pages import PACKAGES

pytestmark = pytest.mark.browser

FILES: Final = PACKAGES / "swagger-ui-dist"

PET: Final = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "example": "Tom"}, "kind": {"type": "string", "enum": ["cat", "dog"]}},
}
API: Final = {
    "openapi": "3.0.3",
    "info": {"title": "Pet shop", "version": "1.0"},
    "tags": [{"name": "pets"}],
    "paths": {
        "/pets": {
            "get": {
                "tags": ["pets"],
                "summary": "List pets",
                "operationId": "listPets",
                "parameters": [
                    {"name": "kind", "in": "query", "schema": {"type": "string", "enum": ["cat", "dog"]}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 9, "default": 5}},
                ],
                "responses": {"200": {"description": "The pets"}},
            },
            "post": {
                "tags": ["pets"],
                "summary": "Add a pet",
                "operationId": "addPet",
                "requestBody": {"required": True, "content": {"application/json": {"schema": PET}}},
                "responses": {"201": {"description": "The pet"}},
            },
        },
        "/pets/{petId}": {
            "get": {
                "tags": ["pets"],
                "summary": "Find a pet",
                "operationId": "findPet",
                "parameters": [{"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "The pet"}, "404": {"description": "No such pet"}},
            },
        },
    },
}
INDEX: Final = """<!doctype html><html lang=en><head><meta charset=utf-8><title>Pet shop API</title>
<link rel=stylesheet href="/swagger-ui.css"></head><body><div id=swagger-ui></div>
<script src="/swagger-ui-bundle.js"></script><script>
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true });
</script></body></html>"""


class PetShop:
    """The API and its documentation on a loopback port; keeps what it was asked."""

    def __init__(self) -> None:
        pets: list[dict[str, Any]] = [{"id": 1, "name": "Tom", "kind": "cat"}, {"id": 2, "name": "Rex", "kind": "dog"}]
        asked: list[str] = []
        self.pets, self.asked = pets, asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                if path == "/":
                    self._answer(200, INDEX.encode(), "text/html; charset=utf-8")
                elif path == "/openapi.json":
                    self._json(200, API)
                elif path.startswith("/pets"):
                    asked.append(f"GET {self.path}")
                    number = path.removeprefix("/pets").strip("/")
                    found = [pet for pet in pets if number in ("", str(pet["id"]))]
                    found = [pet for pet in found if "kind=" not in query or f"kind={pet['kind']}" in query]
                    if not number:
                        self._json(200, found)
                    elif found:
                        self._json(200, found[0])
                    else:
                        self._json(404, {"detail": f"No pet {number}"})
                else:
                    file = FILES / path.strip("/")
                    kind = "text/css" if path.endswith(".css") else "text/javascript; charset=utf-8"
                    if file.is_file():
                        self._answer(200, file.read_bytes(), kind)
                    else:
                        self._answer(404, b"", "text/plain")

            def do_POST(self) -> None:
                asked.append(f"POST {self.path}")
                pet = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                pets.append({"id": len(pets) + 1, **pet})
                self._json(201, pets[-1])

            def _json(self, status: int, value: object) -> None:
                self._answer(status, json.dumps(value).encode(), "application/json")

            def _answer(self, status: int, data: bytes, kind: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture(scope="module")
def shop() -> Iterator[PetShop]:
    made = PetShop()
    yield made
    made.close()


def at(gateway: GatewayProcess, shop: PetShop) -> AbstractAsyncContextManager[Page]:
    return visiting(gateway, f"{shop.url}/", toolsets="focus")


def properties(tool: types.Tool) -> dict[str, Any]:
    return tool.input_schema["properties"]


async def test_an_operation_is_opened_tried_out_and_executed(shared: GatewayProcess, shop: PetShop) -> None:
    async with at(shared, shop) as page:
        rows = await page.offered("open_pet")
        assert "0: GET /pets List pets; 1: POST /pets Add a pet" in str(rows.description)
        assert "#/pets/listPets" in await page.run("open_pet", index=0)
        await page.run("try_it_out")
        execute = await page.offered("list_pets")
        assert list(properties(execute)) == ["kind", "limit"]
        assert properties(execute)["kind"]["enum"] == ["cat", "dog"]
        told = await page.run("list_pets", kind="dog", limit="3")
        assert "/pets?kind=dog&limit=3" in told
        read = await page.shows("Response body", '"name": "Rex"')
        assert shop.asked[-1] == "GET /pets?kind=dog&limit=3"
        assert '"name": "Tom"' not in read


async def test_the_answer_to_a_second_execution_replaces_the_first(shared: GatewayProcess, shop: PetShop) -> None:
    async with at(shared, shop) as page:
        assert "#/pets/findPet" in await page.run("open_pet", index=2)
        await page.run("try_it_out")
        assert list(properties(await page.offered("find_pet"))) == ["petId"]
        await page.run("find_pet", petId="2")
        await page.shows('"name": "Rex"')
        assert "/pets/77" in await page.run("find_pet", petId="77")
        await page.shows("Error: Not Found", '"detail": "No pet 77"')
        assert shop.asked[-2:] == ["GET /pets/2", "GET /pets/77"]


async def test_what_swagger_does_not_accept_is_said_and_not_sent(shared: GatewayProcess, shop: PetShop) -> None:
    async with at(shared, shop) as page:
        await page.run("open_pet", index=0)
        await page.run("try_it_out")
        before = list(shop.asked)
        assert "limit: Value must be an integer" in await page.fails("list_pets", limit="many")
        assert shop.asked == before
        await page.run("open_pet", index=2)
        await page.run("try_it_out")
        assert "petId: Required field is not provided" in await page.fails("find_pet", petId="")
        assert list(properties(await page.offered("find_pet"))) == ["petId"]
        assert shop.asked == before


async def test_a_request_body_is_written_and_sent(shared: GatewayProcess, shop: PetShop) -> None:
    async with at(shared, shop) as page:
        assert "#/pets/addPet" in await page.run("open_pet", index=1)
        await page.run("try_it_out")
        assert "Tom" in properties(await page.offered("add_pet"))["requestBody"]["default"]
        await page.run("add_pet", requestBody='{"name": "Ann", "kind": "dog"}')
        await page.shows('"id": 3')
        assert shop.pets[-1] == {"id": 3, "name": "Ann", "kind": "dog"}
