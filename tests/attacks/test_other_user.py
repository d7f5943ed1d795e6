"""T07, T13 for another user of the same machine: the operating system tells who it is, only the token helps."""

import os
import socket
from pathlib import Path

from tabwright.edges.peers import owner_of, same_user
from tabwright.edges.pump.local_socket import connect
from tests.attacks.test_pairing import OTHER_ID
from tests.attacks.wire import NOBODY, as_nobody, as_root, status
from tests.gateway import GatewayProcess, until

pytestmark = as_root

SEND = """
port, sent = sys.argv[1], bytes.fromhex(sys.argv[2])
made = peer(port); made.sendall(sent)
answer = b""
while data := made.recv(65536):
    answer += data
print(answer.decode("latin-1"))
"""
MODERN_CALL = (
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"connect_browser","arguments":{},"_meta":{'
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":'
    '{"name":"intruder","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}'
)
SEND_AND_LEAVE = """
port, sent = sys.argv[1], bytes.fromhex(sys.argv[2])
for _ in range(150):
    made = peer(port); made.sendall(sent); made.close()
"""


def call(port: int, *headers: str, target: str = "/mcp", body: str = MODERN_CALL) -> bytes:
    lines = (
        f"POST {target} HTTP/1.1" if body else f"GET {target} HTTP/1.1",
        *(f"Host: 127.0.0.1:{port}", "Connection: close", "Content-Type: application/json"),
        *("Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2026-07-28"),
        *("Mcp-Method: tools/call", "Mcp-Name: connect_browser"),
        *headers,
        f"Content-Length: {len(body)}",
    )
    return ("\r\n".join([*lines, "", ""]) + body).encode()


def answer_to_nobody(port: int, request: bytes) -> str:
    return as_nobody(SEND, str(port), request.hex())


def test_another_user_needs_the_token(target: GatewayProcess) -> None:
    assert answer_to_nobody(target.port, call(target.port)).startswith("HTTP/1.1 401")
    token = (target.home / "token").read_text().strip()
    invited = call(target.port, f"Authorization: Bearer {token}", body=MODERN_CALL.replace("intruder", "invited!"))
    served = answer_to_nobody(target.port, invited)
    assert served.startswith("HTTP/1.1 200")
    assert '"connected":false' in served.replace("\\", "").replace(" ", "")


def test_another_user_sees_no_more_of_health_than_ok(target: GatewayProcess) -> None:
    told = answer_to_nobody(target.port, call(target.port, target="/health", body=""))
    assert told.startswith("HTTP/1.1 200")
    assert told.strip().endswith('{"status":"ok"}')


def test_another_user_cannot_be_a_browser(target: GatewayProcess) -> None:
    port = target.extension_port
    handshake = (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    assert answer_to_nobody(port, handshake.encode()).startswith("HTTP/1.1 403")
    assert target.run("pair", "--extension-id", OTHER_ID).returncode == 0
    posing = handshake.replace("\r\n\r\n", f"\r\nOrigin: chrome-extension://{OTHER_ID}\r\n\r\n")
    assert answer_to_nobody(port, posing.encode()).startswith("HTTP/1.1 403"), "nor one that the person admitted"
    assert status(target)["browsers"] == []


def test_a_gateway_of_another_user_is_not_spoken_to(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "run" / "gateway.sock"))
        os.seteuid(NOBODY)
        try:
            # the kernel remembers who it was
            listener.listen()
        finally:
            os.seteuid(0)
        assert connect(str(tmp_path)) is None
        listener.listen()
        ours = connect(str(tmp_path))
        assert ours is not None
        ours.close()


def test_another_user_cannot_enter_the_home(target: GatewayProcess) -> None:
    told = as_nobody(
        "for name in ('token', 'run/gateway.json', 'run/gateway.sock', 'tabwright.db', 'logs/gateway.log'):\n"
        "    try: open(os.path.join(sys.argv[1], name)); print('read', name)\n"
        "    except PermissionError: pass\n"
        "made = socket.socket(socket.AF_UNIX)\n"
        "try: made.connect(os.path.join(sys.argv[1], 'run/gateway.sock')); print('connected')\n"
        "except PermissionError: pass\n",
        str(target.home),
    )
    assert told == ""


def test_a_socket_its_owner_has_left_is_nobodys() -> None:
    """The kernel's tables show such a socket as root's: to a gateway that runs as root it would pass for our own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        as_nobody("made = peer(sys.argv[1]); made.sendall(b'x'); made.close()", str(port))
        ours, theirs = listener.accept()
        with ours:
            assert ours.recv(1) == b"x"
            # FIN_WAIT2, as a time-wait entry: without owner and without inode
            until(lambda: _state(theirs[1], port) in ("05", "06"))
            assert owner_of(theirs, ours.getsockname()) is None
            assert not same_user(theirs, ours.getsockname())


def test_the_owner_of_a_living_socket_is_known() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as peer,
    ):
        ours, theirs = listener.accept()
        with ours:
            assert owner_of(theirs, ours.getsockname()) == os.geteuid() != NOBODY
            peer.shutdown(socket.SHUT_WR)
            assert owner_of(theirs, ours.getsockname()) == os.geteuid(), "who has only finished writing is there"


def test_whoever_sends_and_leaves_at_once_is_refused(target: GatewayProcess) -> None:
    """A burst of calls whose sockets are closed before the gateway can look at them."""
    as_nobody(SEND_AND_LEAVE, str(target.port), call(target.port).hex())
    until(lambda: target.log().count("refused POST '/mcp'") >= 1)
    assert "intruder" not in str(status(target)["sessions"])
    assert "'intruder'" not in target.log(), "not one of them ran"


def _state(client_port: int, server_port: int) -> str:
    for row in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = row.split()
        if fields[1].endswith(f":{client_port:04X}") and fields[2].endswith(f":{server_port:04X}"):
            return fields[3]
    return ""
