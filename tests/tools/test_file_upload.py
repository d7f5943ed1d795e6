"""file_upload and upload_image in a real browser: inputs, choosers, drop zones, frames, and what may be uploaded."""

import base64
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import mcp_types as types
import pytest

from tests.clients import Agent, connect
from tests.conftest import Site
from tests.gateway import GatewayProcess

pytestmark = pytest.mark.browser

SHOW = """
<script>
  const one = (file) => `${file.webkitRelativePath || file.name}:${file.size}`;
  const told = (files) => [...files].map(one).sort().join(' ');
  const show = async (files, how) => {
    const texts = await Promise.all([...files].map((file) => file.text()));
    document.querySelector('output').textContent = `${how} ${told(files)} = ${texts.join('|').slice(0, 60)}`;
  };
</script>
<output>nothing</output>
"""
PAGES = {
    "/one": f"""<title>One</title>{SHOW}
        <label>Report <input type=file onchange="show(this.files, event.isTrusted)"></label>""",
    "/many": f"""<title>Many</title>{SHOW}
        <input type=file multiple accept=".txt,image/*" aria-label="Files" onchange="show(this.files, 'many')">
        <input type=file disabled aria-label="Closed">""",
    "/folder": f"""<title>Folder</title>{SHOW}
        <input type=file webkitdirectory aria-label="Folder" onchange="show(this.files, 'folder')">""",
    "/button": f"""<title>Button</title>{SHOW}
        <button id=ask onclick="hidden_input.click()">Attach</button><button>Idle</button>
        <input type=file id=hidden_input hidden onchange="show(this.files, 'button')">""",
    "/drop": f"""<title>Drop</title>{SHOW}
        <div role=button tabindex=0 aria-label="Drop files here" style="width:300px;height:200px;background:#eee"
          ondragover="event.preventDefault()"
          ondrop="event.preventDefault(); show(event.dataTransfer.files, 'drop')"></div>
        <button>Plain</button>""",
    "/shadow": f"""<title>Shadow</title>{SHOW}<x-upload></x-upload><script>
        customElements.define('x-upload', class extends HTMLElement {{
          constructor() {{
            super();
            const root = this.attachShadow({{ mode: 'closed' }});
            root.innerHTML = '<input type=file aria-label="Deep">';
            root.firstChild.onchange = (event) => show(event.target.files, 'shadow');
          }}
        }});</script>""",
    "/gone": f"""<title>Gone</title>{SHOW}
        <input type=file aria-label="Taken" onchange="show(this.files, 'taken'); this.value = ''">""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("uploads").resolve()
    (made / "a.txt").write_text("hello")
    (made / "b.txt").write_text("world")
    (made / "c.pdf").write_text("%PDF")
    (made / "large.txt").write_text("x" * 2_000_000)
    (made / "tree" / "deep").mkdir(parents=True)
    (made / "tree" / "one.txt").write_text("1")
    (made / "tree" / "deep" / "two.txt").write_text("22")
    (made.parent / "secret.txt").write_text("secret")
    (made / "way-out.txt").symlink_to(made.parent / "secret.txt")
    return made


@pytest.fixture(scope="module", autouse=True)
def pages(site: Site) -> None:
    site.pages.update(PAGES)
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/framed-button"] = f'<title>Framed</title><iframe src="{other}/button" width=500 height=200></iframe>'
    site.pages["/dropframe"] = (
        "<title>Drop in a frame</title><style>body{margin:0}iframe{border:10px solid;margin:100px 0 0 100px}</style>"
        f'<iframe src="{other}/drop" width=500 height=300></iframe>'
    )
    site.pages["/framed"] = (
        f'<title>Framed</title><h1>Outer</h1><iframe src="{other}/one" width=500 height=200></iframe>'
    )


@asynccontextmanager
async def at(gateway: GatewayProcess, site: Site, path: str, folder: Path) -> AsyncGenerator[Agent]:
    async with connect(gateway, toolsets="automation", list="stable", upload_dirs=str(folder)) as agent:
        assert not (await agent.result("navigate", url=f"{site.url}{path}")).is_error
        yield agent
        await agent.result("tabs_close_mcp", tabId=await tab_of(agent))


async def tab_of(agent: Agent) -> int:
    told = await agent.result("tabs_context")
    match = re.search(r"\d+", text_of(told))
    assert match is not None
    return int(match[0])


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))


async def ref_of(agent: Agent, name: str) -> str:
    outline = text_of(await agent.result("read_page"))
    found = re.search(rf'"{re.escape(name)}" (e\d+)\b', outline)
    assert found is not None, outline
    return found[1]


async def upload(agent: Agent, name: str, *paths: Path | str) -> str:
    result = await agent.result("file_upload", ref=await ref_of(agent, name), paths=[str(path) for path in paths])
    assert not result.is_error, result.content
    return text_of(result)


async def refused(agent: Agent, name: str, *paths: Path | str) -> tuple[str, str]:
    error = await agent.refused("file_upload", ref=await ref_of(agent, name), paths=[str(path) for path in paths])
    return error["code"], f"{error['message']} {error['next']}"


async def shown(agent: Agent) -> str:
    return text_of(await agent.result("get_page_text"))


async def test_a_file_is_chosen_as_a_person_would(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/one", folder) as agent:
        told = await upload(agent, "Report", folder / "a.txt")
        assert "now holds a.txt" in told
        assert "true a.txt:5 = hello" in await shown(agent)
        await upload(agent, "Report", "large.txt")
        assert "large.txt:2000000" in await shown(agent), "a relative path is one of an upload folder"


async def test_an_input_takes_what_it_says_it_takes(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/many", folder) as agent:
        assert "holds a.txt, b.txt" in await upload(agent, "Files", folder / "a.txt", folder / "b.txt")
        assert "many a.txt:5 b.txt:5" in await shown(agent)
        assert "takes only .txt,image/*" in (await refused(agent, "Files", folder / "c.pdf"))[1]
        assert "is a folder" in (await refused(agent, "Files", folder / "tree"))[1]
        assert "disabled" in (await refused(agent, "Closed", folder / "a.txt"))[1]
    async with at(shared, site, "/one", folder) as agent:
        assert "takes one file" in (await refused(agent, "Report", folder / "a.txt", folder / "b.txt"))[1]


async def test_a_folder_goes_where_one_is_asked_for(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with connect(shared, toolsets="focus,automation", list="stable", upload_dirs=str(folder)) as agent:
        await agent.call("connect_browser", launch=True)
        # browsers take folders only in tabs that are in front, where focus_tab puts them in a launched one
        await agent.call("open_tab", url=f"{site.url}/folder")
        assert "takes one folder" in (await refused(agent, "Folder", folder / "a.txt"))[1]
        assert "holds tree/" in await upload(agent, "Folder", folder / "tree")
        assert "folder tree/deep/two.txt:2 tree/one.txt:1" in await shown(agent)
        await agent.call("open_tab", url=f"{site.url}/one")
        behind = (await agent.call("open_tab", url=f"{site.url}/folder", focus=False))["tab"]["id"]
        outline = text_of(await agent.result("read_page", tabId=behind))
        found = re.search(r'"Folder" (e\d+)', outline)
        assert found is not None
        error = await agent.refused("file_upload", ref=found[1], paths=[str(folder / "tree")], tabId=behind)
        assert "in front" in error["message"]


async def test_a_button_that_opens_a_chooser_is_answered(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/button", folder) as agent:
        assert "chooser" in await upload(agent, "Attach", folder / "b.txt")
        assert "button b.txt:5 = world" in await shown(agent)
        assert "is not a file input" in (await refused(agent, "Idle", folder / "a.txt"))[1]


async def test_files_are_dropped_on_a_drop_zone(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/drop", folder) as agent:
        assert 'Dropped a.txt, b.txt on button "Drop files here"' in await upload(
            agent, "Drop files here", folder / "a.txt", folder / "b.txt"
        )
        assert "drop a.txt:5 b.txt:5 = hello|world" in await shown(agent)
        await upload(agent, "Drop files here", folder / "large.txt")
        assert "large.txt:2000000" in await shown(agent)


async def test_shadow_roots_and_frames_of_other_sites_take_files(
    shared: GatewayProcess, site: Site, folder: Path
) -> None:
    async with at(shared, site, "/shadow", folder) as agent:
        await upload(agent, "Deep", folder / "a.txt")
        assert "shadow a.txt:5" in await shown(agent)
    async with at(shared, site, "/framed", folder) as agent:
        await upload(agent, "Report", folder / "a.txt")
        assert "true a.txt:5 = hello" in await shown(agent)
    async with at(shared, site, "/framed-button", folder) as agent:
        assert "chooser" in await upload(agent, "Attach", folder / "a.txt")
        assert "button a.txt:5 = hello" in await shown(agent)


async def test_an_input_that_is_emptied_at_once_has_been_used(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/gone", folder) as agent:
        assert "The page has taken a.txt" in await upload(agent, "Taken", folder / "a.txt")


async def test_only_files_of_the_named_folders_are_uploaded(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/one", folder) as agent:
        for outside in (
            folder.parent / "secret.txt",
            folder / ".." / "secret.txt",
            "../secret.txt",
            folder / "way-out.txt",
            "/etc/passwd",
            "/etc/no-such-file",
            shared.home / "token",
        ):
            code, told = await refused(agent, "Report", outside)
            assert code == "denied", outside
            assert str(folder) in told
            assert "--upload-dirs" in told
        code, told = await refused(agent, "Report", folder / "none.txt")
        assert code == "invalid_arguments"
        assert "No such file" in told
        assert "nothing" in await shown(agent)


async def test_without_a_folder_the_setting_is_named(shared: GatewayProcess, site: Site) -> None:
    async with connect(shared, toolsets="automation", list="stable") as agent:
        await agent.result("navigate", url=f"{site.url}/one")
        error = await agent.refused("file_upload", ref=await ref_of(agent, "Report"), paths=["/tmp/x"])
        assert error["code"] == "denied"
        assert "upload_dirs" in error["message"]
        assert "--upload-dirs" in error["next"]
        assert json.dumps(error).count("/tmp/x") == 0


async def test_a_ref_of_another_page_is_stale(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/one", folder) as agent:
        ref = await ref_of(agent, "Report")
        await agent.result("navigate", url=f"{site.url}/many")
        error = await agent.refused("file_upload", ref=ref, paths=[str(folder / "a.txt")])
        assert error["code"] == "stale_ref"


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""A PNG of one pixel: 70 bytes."""


async def image(agent: Agent, **arguments: object) -> str:
    result = await agent.result("upload_image", **arguments)
    assert not result.is_error, result.content
    return text_of(result)


async def test_a_screenshot_taken_earlier_is_uploaded(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/many", folder) as agent:
        shot = text_of(await agent.result("computer", action="screenshot"))
        found = re.search(r"image_\d+", shot)
        assert found is not None, shot
        assert "holds screenshot.jpg" in await image(agent, imageId=found[0], ref=await ref_of(agent, "Files"))
        assert "many screenshot.jpg:" in await shown(agent)
        told = await image(agent, imageId=found[0], ref=await ref_of(agent, "Files"), filename="bug.jpg")
        assert "holds bug.jpg" in told


async def test_an_image_is_uploaded_from_data_or_a_folder(shared: GatewayProcess, site: Site, folder: Path) -> None:
    (folder / "dot.png").write_bytes(base64.b64decode(PIXEL))
    async with at(shared, site, "/many", folder) as agent:
        files = await ref_of(agent, "Files")
        await image(agent, data=PIXEL, ref=files)
        assert "many image.png:70" in await shown(agent)
        await image(agent, data=f"data:image/png;base64,{PIXEL}", ref=files, filename="mine.png")
        assert "many mine.png:70" in await shown(agent)
        await image(agent, path="dot.png", ref=files)
        assert "many dot.png:70" in await shown(agent)
        await image(agent, path="dot.png", ref=files, filename="other.png")
        assert "many other.png:70" in await shown(agent)


async def test_an_image_is_dropped_where_a_point_says(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/drop", folder) as agent:
        assert 'on button "Drop files here"' in await image(agent, data=PIXEL, coordinate=[150, 130])
        assert "drop image.png:70" in await shown(agent)
        error = await agent.refused("upload_image", data=PIXEL, coordinate=[700, 400])
        assert "takes no files" in error["message"]
    async with at(shared, site, "/dropframe", folder) as agent:
        assert 'on button "Drop files here"' in await image(agent, data=PIXEL, coordinate=[250, 260])
        assert "drop image.png:70" in await shown(agent)


async def test_a_chooser_takes_an_image_that_was_no_file(shared: GatewayProcess, site: Site, folder: Path) -> None:
    async with at(shared, site, "/button", folder) as agent:
        assert "chooser" in await image(agent, data=PIXEL, ref=await ref_of(agent, "Attach"), filename="x.png")
        assert "button x.png:70" in await shown(agent)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"ref": "e1"}, "Say which image"),
        ({"data": PIXEL, "path": "a.png", "ref": "e1"}, "Say which image"),
        ({"data": PIXEL}, "Say where"),
        ({"data": PIXEL, "ref": "e1", "coordinate": [1, 1]}, "Say where"),
        ({"data": "not base64!", "ref": "e1"}, "not base64"),
        ({"data": "aGVsbG8=", "ref": "e1"}, "not an image"),
        ({"imageId": "image_99", "ref": "e1"}, "No image 'image_99'"),
        ({"path": "a.txt", "ref": "e1"}, "a.txt is not an image"),
        ({"path": "/etc/passwd", "ref": "e1"}, "not in a folder"),
    ],
)
async def test_an_image_that_is_none_is_refused(
    shared: GatewayProcess, site: Site, folder: Path, arguments: dict[str, object], problem: str
) -> None:
    async with at(shared, site, "/many", folder) as agent:
        assert problem in (await agent.refused("upload_image", **arguments))["message"]
