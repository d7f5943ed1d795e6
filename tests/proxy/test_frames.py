"""Frames out of a stream, however it is cut; and what the library would say of them."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.frames import Opcode
from websockets.protocol import Protocol, Side

from tabwright.edges.proxy.frames import Splitter, lone_text, text_frame
from tests.proxy.server import frame

LIMIT = 100_000
PAYLOADS = st.one_of(st.binary(max_size=200), st.integers(100, 70_000).map(lambda size: b"x" * size))
FRAMES = st.lists(
    st.one_of(
        st.tuples(st.just(1), PAYLOADS, st.just(True)),
        st.tuples(st.sampled_from([8, 9, 10]), st.binary(max_size=20), st.just(True)),
        st.tuples(st.sampled_from([0, 1, 2]), st.binary(max_size=20), st.booleans()),
    ),
    max_size=8,
)


def masked(opcode: int, payload: bytes, fin: bool, mask: bytes) -> bytes:
    plain = frame(payload, opcode, fin=fin)
    head = plain[: len(plain) - len(payload) - 4]
    return head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


def feed(data: bytes, cuts: list[int], limit: int = LIMIT) -> list[tuple[bool, bytes]]:
    splitter = Splitter()
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(places)]
    found = [entry for piece in pieces for entry in splitter.feed(piece, limit)]
    assert splitter.rest() == b""
    return found


@settings(deadline=None, max_examples=150)
@given(FRAMES, st.lists(st.integers(0, 200_000), max_size=6), st.binary(min_size=4, max_size=4))
def test_however_a_stream_is_cut_the_same_frames_come_out(
    frames: list[tuple[int, bytes, bool]], cuts: list[int], mask: bytes
) -> None:
    sent = [masked(opcode, payload, fin, mask) for opcode, payload, fin in frames]
    found = feed(b"".join(sent), cuts)
    assert len(found) == len(frames)
    for (plain, piece), (opcode, payload, fin), whole in zip(found, frames, sent, strict=True):
        assert plain == (opcode == 1 and fin)
        assert piece == (payload if plain else whole)


@given(st.sampled_from([frame(b"{}", mask=False), frame(b"{}", rsv=1), frame(b"x" * 200)]), st.binary(max_size=50))
def test_what_is_wrong_by_its_first_bytes_goes_to_the_library_at_once(bad: bytes, more: bytes) -> None:
    start = bad[:4]
    assert list(Splitter().feed(start + more, 100)) == [(False, start + more)]


@given(
    st.integers(0, 10), PAYLOADS, st.booleans(), st.booleans(), st.binary(max_size=3), st.binary(min_size=4, max_size=4)
)
def test_a_lone_message_is_one_whole_plain_frame(
    opcode: int, payload: bytes, fin: bool, mask: bool, more: bytes, key: bytes
) -> None:
    sent = masked(opcode, payload, fin, key) if mask else frame(payload, opcode, fin=fin, mask=False)
    found = lone_text(sent + more)
    assert found is None or (found == payload and (opcode, fin, mask, more) == (1, True, True, b""))
    if (opcode, fin, mask, more) == (1, True, True, b"") and 2 <= len(payload) < 8_000 and payload.isascii():
        assert found == payload


@given(PAYLOADS)
def test_what_is_written_is_what_the_library_reads(payload: bytes) -> None:
    client = Protocol(Side.CLIENT)
    client.receive_data(text_frame(payload))
    [read] = client.events_received()
    assert (read.opcode, bytes(read.data), read.fin) == (Opcode.TEXT, payload, True)  # type: ignore[union-attr]
    server = Protocol(Side.SERVER)
    server.receive_data(Splitter().as_frame(payload))
    [read] = server.events_received()
    assert bytes(read.data) == payload  # type: ignore[union-attr]
