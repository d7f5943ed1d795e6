"""A web server that answers anything: statuses, headers, redirects, files, and answers that never come."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    after: threading.Event | None = None
    """Held back until this is set."""
    rest_after: threading.Event | None = None
    """The second half is held back until this is set."""


def file(name: str, body: str = "content") -> Answer:
    """An answer the browser saves."""
    disposition = f"attachment; filename={name}"
    return Answer(body, headers={"Content-Type": "application/octet-stream", "Content-Disposition": disposition})


def redirect(to: str) -> Answer:
    return Answer(status=302, headers={"Location": to})


class Web:
    """Answers by path; what is not there is a 404 with a page. Reached as 127.0.0.1 and, as another site, localhost."""

    def __init__(self) -> None:
        answers: dict[str, Answer | str] = {}
        self.answers = answers
        self.closing = threading.Event()
        closing = self.closing

        def hold(until: threading.Event | None) -> None:
            while until is not None and not until.wait(0.05) and not closing.is_set():
                pass

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                found = answers.get(self.path.partition("?")[0], Answer("<title>No such page</title>", 404))
                answer = Answer(found) if isinstance(found, str) else found
                hold(answer.after)
                data = answer.body.encode()
                self.send_response(answer.status)
                for name, value in {"Content-Type": "text/html; charset=utf-8", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2])
                self.wfile.flush()
                hold(answer.rest_after)
                self.wfile.write(data[len(data) // 2 :])

            do_POST = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.host}"
        self.other_host = f"localhost:{self._server.server_port}"
        self.other = f"http://{self.other_host}"

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
