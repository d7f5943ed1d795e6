"""read_network_requests: what the page asked of servers and was answered, secrets masked."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pydantic import Field

from tabwright.browser.debugger.network import Earlier, Network, Request
from tabwright.errors import InvalidArguments
from tabwright.model import Text, ToolHints, ToolResult, Toolset
from tabwright.policy.actions import Access
from tabwright.policy.patterns import matcher
from tabwright.policy.secrets import mask_body, mask_headers, mask_url
from tabwright.policy.text import attributed, clean, clean_block
from tabwright.policy.urls import origin_of
from tabwright.tools.read_console_messages import stamp
from tabwright.tools.tool import Desk, Hold, Params, TabNumber, Tool

MAX_URL: Final = 300
MAX_HEADER: Final = 500
MAX_SENT: Final = 4_000
MAX_BODY: Final = 20_000
MAX_REQUESTS: Final = 200
_TEXT: Final = ("text/", "json", "javascript", "xml", "urlencoded", "graphql")


class ReadNetworkRequests(Params):
    urlPattern: str | None = Field(default=None, description="Regex")
    resourceTypes: list[str] | None = Field(default=None, description="e.g. document, xhr, fetch, script, image")
    limit: int = Field(default=50, ge=1)
    clear: bool = Field(default=False, description="Forget them after reading")
    requestId: str | None = Field(default=None, description="For headers and body of one request")
    tabId: TabNumber | None = None


async def run(desk: Desk, params: ReadNetworkRequests) -> ToolResult:
    fits = matcher(params.urlPattern) if params.urlPattern else None
    network = desk.tab.network
    if params.requestId is not None:
        return ToolResult((Text(await _details(network, params.requestId)),))
    earlier = await network.start()
    requests = network.requests()
    found = [request for request in requests if _wanted(params, fits, request.url, request.kind)]
    before = [each for each in earlier if _wanted(params, fits, each.url, each.kind)]
    limit = min(params.limit, MAX_REQUESTS)
    said = "\n".join(
        [_head(network, len(requests), len(found), limit), *_lines(found[-limit:]), *_before(before, limit)]
    )
    if params.clear:
        network.clear()
    return ToolResult((Text(said),))


def _wanted(params: ReadNetworkRequests, fits: Callable[[str], bool] | None, url: str, kind: str) -> bool:
    kinds = params.resourceTypes
    return (fits is None or fits(url)) and (not kinds or kind in {each.lower() for each in kinds})


def _head(network: Network, kept: int, found: int, limit: int) -> str:
    assert network.began is not None
    head = f"Recording since {stamp(network.began)} UTC: {kept} request{'s' * (kept != 1)}"
    if found != kept:
        head += f", {found} of them match"
    if found > limit:
        head += f", the latest {limit} follow"
    if network.dropped:
        head += f"; {network.dropped} older ones were dropped"
    return head + "."


def _lines(requests: Sequence[Request]) -> list[str]:
    return [
        f"{request.id} {request.method} {_state(request)} {request.kind} {_url(request.url)}{_cost(request)}"
        for request in requests
    ]


def _before(earlier: Sequence[Earlier], limit: int) -> list[str]:
    if not earlier:
        return []
    shown = earlier[-limit:]
    lines = [f"{each.status or '?'} {each.kind} {_url(each.url)} {_size(each.size)} {each.ms} ms" for each in shown]
    return [f"Before that, as the page remembers ({len(earlier)}; reload the page to record them):", *lines]


def _state(request: Request) -> str:
    if request.failure:
        return f"failed ({clean(request.failure, 100)})"
    if request.status is not None:
        return str(request.status)
    return "pending"


def _cost(request: Request) -> str:
    parts = [] if request.size is None else [_size(request.size)]
    parts += [] if request.seconds is None else [f"{request.seconds * 1000:.0f} ms"]
    parts += ["from cache"] if request.from_cache else []
    return "".join(f" {part}" for part in parts)


def _url(url: str) -> str:
    return mask_url(clean(url, MAX_URL))


def _size(count: int) -> str:
    return f"{count} B" if count < 1000 else f"{count / 1000:.1f} KB"


# --- one request


async def _details(network: Network, request_id: str) -> str:
    request = network.find(request_id)
    if request is None:
        raise InvalidArguments(
            f"No request {request_id!r} is recorded.", "Call read_network_requests without requestId for the list."
        )
    said = [
        f"{request.id} {request.method} {mask_url(clean(request.url, 2 * MAX_URL))}",
        f"{_state(request)} {clean(request.status_text, 60)} {request.kind}{_cost(request)}, at {stamp(request.sent)}",
        *_headers("Request headers", request.request_headers),
    ]
    sent = await network.sent_body(request_id)
    if sent:
        said += [f"Request body:\n{_quoted(sent, MAX_SENT, request.url)}"]
    said += _headers("Response headers", request.response_headers)
    return "\n".join([*said, await _body(network, request)])


def _headers(title: str, headers: Mapping[str, str]) -> list[str]:
    masked = mask_headers(headers)
    return (
        [f"{title}:", *(f"  {clean(name, 100)}: {clean(value, MAX_HEADER)}" for name, value in masked.items())]
        if masked
        else []
    )


async def _body(network: Network, request: Request) -> str:
    # some are never read to their end by the page, and are there all the same
    body = await network.body(request.id)
    if body is None and not request.done:
        return "Response body: not there yet."
    if body is None:
        return "Response body: none, or the browser does not keep it any more."
    if body.binary or not _is_text(request.mime_type):
        return f"Response body: {request.mime_type or 'binary'}, not shown."
    return f"Response body:\n{_quoted(body.text, MAX_BODY, request.url)}"


def _quoted(body: str, limit: int, url: str) -> str:
    """Without its secrets, within bounds, and where it is prose between marks that it cannot write itself."""
    text = _capped(mask_body(clean_block(body)), limit)
    return attributed(text, origin_of(url), secrets.token_hex(4))


def _is_text(mime_type: str) -> bool:
    return not mime_type or any(part in mime_type for part in _TEXT)


def _capped(text: str, limit: int) -> str:
    return (
        text if len(text) <= limit else f"{text[:limit]}\n[cut: {len(text) - limit} of {len(text)} characters left out]"
    )


TOOL = Tool(
    name="read_network_requests",
    description="Read the page's requests; the first call starts recording.",
    params=ReadNetworkRequests,
    access=Access.READ,
    run=run,
    toolset=Toolset.AUTOMATION,
    hold=Hold.HELD,
    hints=ToolHints(read_only=True),
)
