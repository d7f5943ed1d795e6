"""Files: which may be uploaded, however their path is written, and where what is made for a client is saved."""

import os
import resource
import socket
import stat
from pathlib import Path

import pytest

from tabwright.edges.files import MAX_BYTES, MAX_FOLDER_FILES, FileKeeper, SessionFiles
from tabwright.errors import CommandFailed, Denied, InvalidArguments
from tabwright.model import SessionId


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "uploads"
    (made / "inner").mkdir(parents=True)
    (made / "a.txt").write_text("hello")
    (made / "inner" / "b.png").write_bytes(b"\x89PNG")
    (tmp_path / "outside.txt").write_text("no")
    (tmp_path / "uploads-too").mkdir()
    (tmp_path / "uploads-too" / "c.txt").write_text("no")
    return made


def files(tmp_path: Path, *folders: Path, output: str | None = None) -> SessionFiles:
    keeper = FileKeeper(tmp_path / "home", tmp_path / "home" / "output")
    return keeper.of(SessionId("s1"), tuple(map(str, folders)), output)


async def test_a_file_of_an_upload_folder_is_offered_by_any_path_to_it(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, tmp_path / "nowhere", folder)
    for path in (folder / "a.txt", folder / "inner" / ".." / "a.txt", "a.txt", "./inner/../a.txt"):
        found = await mine.offered(str(path))
        assert (found.path, found.size, found.mime_type) == (folder / "a.txt", 5, "text/plain")
        assert await mine.read(found) == b"hello"
    assert (await mine.offered("inner/b.png")).mime_type == "image/png"


async def test_what_lies_outside_is_denied_whether_it_exists_or_not(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "way").symlink_to(tmp_path / "uploads-too")
    for path in (
        tmp_path / "outside.txt", tmp_path / "missing.txt", folder / ".." / "outside.txt", "../outside.txt",
        folder / "link.txt", "way/c.txt", tmp_path / "uploads-too" / "c.txt", "/etc/passwd",
    ):  # fmt: skip
        with pytest.raises(Denied, match="not in a folder whose files may be uploaded"):
            await mine.offered(str(path))


async def test_a_file_that_was_swapped_since_the_look_is_not_read(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    (tmp_path / "uploads-too" / "b.png").write_bytes(b"nono")
    swapped, inner = await mine.offered("a.txt"), await mine.offered("inner/b.png")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(tmp_path / "outside.txt")
    with pytest.raises(InvalidArguments, match="cannot be read"):
        await mine.read(swapped)
    (folder / "inner").rename(folder / "was")
    (folder / "inner").symlink_to(tmp_path / "uploads-too")
    with pytest.raises(Denied, match="changed"):
        await mine.read(inner)
    (folder / "a.txt").unlink()
    os.mkfifo(folder / "a.txt")
    with pytest.raises(Denied, match="changed"):
        await mine.read(swapped)


async def test_without_upload_folders_nothing_is_offered(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(Denied, match=r"upload_dirs.*--upload-dirs"):
        await files(tmp_path).offered(str(folder / "a.txt"))


async def test_the_gateways_own_home_is_never_uploaded(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "token").write_text("secret")
    with pytest.raises(Denied):
        await files(tmp_path, tmp_path).offered("home/token")
    with pytest.raises(Denied):
        await files(tmp_path, tmp_path).offered(str(tmp_path))


async def test_only_plain_files_and_folders_are_offered(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    os.mkfifo(folder / "pipe")
    for wrong in ("pipe", "missing.txt", "", "a\0b"):
        with pytest.raises(InvalidArguments):
            await mine.offered(wrong)


@pytest.mark.rule("T67")
async def test_no_spelling_makes_another_file_of_one(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    for odd in ("a.txt.", "a.txt ", " a.txt", "a.txt\n", "A.TXT", "a.txt:stream", "~root/a.txt"):
        with pytest.raises((InvalidArguments, Denied)):
            await mine.offered(odd)


@pytest.mark.rule("T67")
@pytest.mark.parametrize("root", ["/dev", "/proc/self", "/sys/kernel"])
async def test_devices_and_what_the_kernel_makes_up_are_not_offered(tmp_path: Path, root: str) -> None:
    mine = files(tmp_path, Path(root), tmp_path)
    for name in ("zero", "tty", "null", "environ", "mem", "fd/0", "cwd", "root/etc/passwd"):
        with pytest.raises((InvalidArguments, Denied)):
            await mine.offered(f"{root}/{name}")


@pytest.mark.rule("T67")
async def test_a_file_with_another_name_elsewhere_is_not_offered(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    os.link(tmp_path / "outside.txt", folder / "inner" / "hard.txt")
    for way in ("inner/hard.txt", str(folder), "inner"):
        with pytest.raises(Denied, match="hard link"):
            await mine.offered(way)


@pytest.mark.rule("T67")
async def test_giants_are_refused_before_they_are_read(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    for name, size in (("giant.bin", 2 << 30), ("half.bin", MAX_BYTES // 2 + 1), ("other.bin", MAX_BYTES // 2)):
        with (folder / name).open("wb") as file:
            file.truncate(size)
    for way in ("giant.bin", str(folder)):
        with pytest.raises(InvalidArguments, match="more than 1024 MB"):
            await mine.offered(way)
    (folder / "giant.bin").unlink()
    assert (await mine.offered("half.bin")).size == MAX_BYTES // 2 + 1
    with pytest.raises(InvalidArguments, match="more than 1024 MB"):
        await mine.offered(str(folder))


@pytest.mark.rule("T67")
async def test_hidden_files_and_keys_are_not_offered(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    for name, words in {
        ".env": "TOKEN=1",
        ".ssh/config": "Host x",
        "inner/.git/config": "[core]",
        "server.txt": "notes\n-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA",
        "cert.pem": "-----BEGIN RSA PRIVATE KEY-----",
        "id_ed25519": "x",
        "vault.kdbx": "x",
        "Store.P12": "x",
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(words)
        with pytest.raises(Denied, match=r"is hidden|is a private key"):
            await mine.offered(name)
    with pytest.raises(Denied):
        await mine.offered(str(folder))
    (folder / "public.pem").write_text("-----BEGIN PUBLIC KEY-----")
    (folder / "talk.key").write_bytes(b"PK\x03\x04 slides")
    for harmless in ("public.pem", "talk.key"):
        assert (await mine.offered(harmless)).name == harmless
    chosen = files(tmp_path, folder, folder / ".ssh")
    assert (await chosen.offered(str(folder / ".ssh" / "config"))).name == "config", "the person named that folder"


async def test_a_folder_is_offered_with_its_files_unless_links_lead_away(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    offered = await mine.offered(str(folder))
    assert offered.is_folder
    assert [file.name for file in offered.files or ()] == ["a.txt", "b.png"]
    (folder / "inner" / "link").symlink_to(tmp_path)
    with pytest.raises(Denied, match="links in a folder are not followed"):
        await mine.offered(str(folder))


async def test_a_folder_of_too_many_files_is_refused(tmp_path: Path) -> None:
    for number in range(MAX_FOLDER_FILES + 1):
        (tmp_path / f"{number}.txt").touch()
    with pytest.raises(InvalidArguments, match="more than 1000 files"):
        await files(tmp_path / "elsewhere", tmp_path).offered(str(tmp_path))


async def test_what_is_made_is_saved_for_this_user_alone_and_over_nothing(tmp_path: Path) -> None:
    mine = files(tmp_path)
    saved = [await mine.save("tour.gif", data, "image/gif") for data in (b"one", b"two")]
    assert [file.path.relative_to(tmp_path) for file in saved] == [
        Path("home/output/s1/tour.gif"), Path("home/output/s1/tour-2.gif"),
    ]  # fmt: skip
    assert [file.path.read_bytes() for file in saved] == [b"one", b"two"]
    assert stat.S_IMODE(saved[0].path.stat().st_mode) == 0o600
    assert stat.S_IMODE(saved[0].path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name",
    ["../../evil.gif", "/etc/evil.gif", "..", "a/b.gif", "\0.gif", ".hidden", "x" * 400 + ".gif", "日" * 99 + ".gif"],
)
async def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    saved = await files(tmp_path).save(name, b"x", "image/gif")
    assert saved.path.parent == tmp_path / "home" / "output" / "s1"
    assert not saved.name.startswith(".")
    assert len(saved.name) < 120


async def test_of_what_did_not_fit_on_the_disk_nothing_is_left(tmp_path: Path) -> None:
    mine = files(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(CommandFailed, match="cannot be written to"):
            await mine.save("tour.gif", b"more than ten bytes", "image/gif")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(mine.folder.iterdir()) == []


@pytest.mark.rule("T69")
async def test_what_is_made_goes_through_no_link_and_over_no_file(tmp_path: Path) -> None:
    output = tmp_path / "home" / "output" / "s1"
    output.mkdir(parents=True)
    (tmp_path / "outside.gif").write_bytes(b"mine")
    (output / "a.gif").symlink_to(tmp_path / "outside.gif")
    (output / "b.gif").symlink_to(tmp_path / "not-there.gif")
    os.link(tmp_path / "outside.gif", output / "c.gif")
    for name in ("a", "b", "c"):
        assert (await files(tmp_path).save(f"{name}.gif", b"x", "image/gif")).name == f"{name}-2.gif"
    assert (tmp_path / "outside.gif").read_bytes() == b"mine"
    assert not (tmp_path / "not-there.gif").exists()


@pytest.mark.parametrize("path", ["~nobody-of-this-name/a.txt", "a" * 5_000, "x/" * 3_000])
async def test_what_can_be_no_file_is_refused(tmp_path: Path, folder: Path, path: str) -> None:
    with pytest.raises(InvalidArguments, match="cannot be uploaded"):
        await files(tmp_path, folder).offered(path)


@pytest.mark.rule("T68")
async def test_no_address_is_a_file(tmp_path: Path, folder: Path) -> None:
    mine = files(tmp_path, folder)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        for address in (
            f"http://127.0.0.1:{port}/a.txt",
            f"https://127.0.0.1:{port}/a.txt",
            "http://169.254.169.254/latest/meta-data/",
            f"file://{folder}/a.txt",
            "data:text/plain,hello",
            f"//127.0.0.1:{port}/a.txt",
        ):
            with pytest.raises((Denied, InvalidArguments)):
                await mine.offered(address)
        with pytest.raises(TimeoutError):
            server.accept()


async def test_the_output_folder_may_be_set_and_must_be_writable(tmp_path: Path) -> None:
    saved = await files(tmp_path, output=str(tmp_path / "pictures")).save("a.gif", b"x", "image/gif")
    assert saved.path == tmp_path / "pictures" / "a.gif"
    (tmp_path / "file").touch()
    with pytest.raises(CommandFailed, match="output_dir"):
        await files(tmp_path, output=str(tmp_path / "file")).save("a.gif", b"x", "image/gif")
