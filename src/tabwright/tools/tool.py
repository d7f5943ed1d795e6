"""What a tool is: one record of schema, description, needs and handler. The caller enforces the needs."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, Generic, Protocol, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema

from tabwright.browser.browser import Browser
from tabwright.browser.pictures import Album
from tabwright.browser.tab import Tab
from tabwright.model import (
    BrowserId,
    Face,
    Json,
    JsonObject,
    PageTool,
    TabId,
    TabInfo,
    ToolHints,
    ToolResult,
    Toolset,
    ToolSpec,
)
from tabwright.policy.actions import Access, Decision
from tabwright.tools.arguments import read_arguments
from tabwright.tools.files import Files
from tabwright.tools.recorder import Recorder
from tabwright.tools.shortcut import Shortcuts

BOTH_FACES: Final = frozenset(Face)
STABLE_ONLY: Final = frozenset({Face.STABLE})


class Params(BaseModel):
    """Parameters of a tool; they become its JSON Schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _no_switch(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a tab id is a number")
    return value


TabNumber = Annotated[
    int, BeforeValidator(_no_switch), Field(json_schema_extra=lambda schema: schema.update(type="number"))
]
"""A tab id. tabs.md spells its type `number`."""


class Hold(Enum):
    """What a call needs of the tab it names (`tabId`, or the focused one)."""

    NONE = "nothing"
    FREE = "not held by another session"
    HELD = "held by this session"


@dataclass(frozen=True, slots=True)
class Agreement:
    """What became of a plan: the origins that are open for the session now, and those the person struck out."""

    opened: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()


class Desk(Protocol):
    """What a tool may use: the browser and the session it runs for."""

    @property
    def browser(self) -> Browser:
        """The session's browser. Raises BrowserNotConnected."""
        ...

    @property
    def browsers(self) -> Sequence[Browser]: ...

    @property
    def trouble(self) -> str:
        """What keeps browsers away, for the person; empty where nobody knows."""
        ...

    @property
    def chosen(self) -> BrowserId | None:
        """The browser the session works with, if any."""
        ...

    @property
    def focused(self) -> TabId | None: ...

    @property
    def face(self) -> Face: ...

    @property
    def target(self) -> TabId:
        """The tab the call names, checked as its `hold` says."""
        ...

    @property
    def tab(self) -> Tab:
        """The target as automation tools act on it."""
        ...

    @property
    def has_target(self) -> bool:
        """Whether the call names a tab, or the session has one: asked by a tool that could also open one."""
        ...

    @property
    def held(self) -> Sequence[TabInfo]:
        """The tabs this session holds, oldest hold first."""
        ...

    def shown(self, tab: TabInfo) -> TabInfo:
        """A tab as a list may show it: of a page that is closed to agents, no more than where it is from."""
        ...

    @property
    def group(self) -> int | None:
        """The session's tab group, once it has one."""
        ...

    async def connect(self, *, launch: bool) -> Browser | None: ...
    def select(self, browser: Browser) -> None: ...

    async def adopt(self, tab: TabInfo, *, grouped: bool = True) -> None:
        """A tab the session opened: held, its current one, and in its group unless it is to stay outside."""
        ...

    def consult(self, access: Access, url: str, *, going: bool = False) -> Decision:
        """What the policy says of a page: of doing something there, or of going there.

        Raises:
            InvalidArguments: that is no address.
        """
        ...

    async def agree_on(self, question: str, arguments: JsonObject, urls: Sequence[str]) -> Agreement:
        """Have the person agree to work on these sites, or on some of them.

        What the policy denies is not asked about; none is open if all are denied.

        Raises:
            ToolError: refused, not answered in time, or nobody to ask.
        """
        ...

    async def show_answering(self, answering: bool) -> None:
        """Let the person see that the agent's answer begins or has ended."""
        ...

    async def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tell the client how far a long call is, if it asked to be told."""
        ...

    @property
    def files(self) -> Files:
        """What it may upload, and where it saves."""
        ...

    @property
    def shortcuts(self) -> Shortcuts: ...

    @property
    def recorder(self) -> Recorder: ...

    @property
    def album(self) -> Album:
        """The pictures this session was given."""
        ...

    async def call(self, name: str, arguments: JsonObject, *, tab_id: TabId | None = None) -> ToolResult:
        """Run another tool as a step of this one, with all that every call goes through.

        `tab_id` is its tab if it acts on one and names none.

        Raises:
            ToolError: it failed; UnknownTool: there is none.
        """
        ...

    async def focus(self, tab_id: TabId, *, fresh: bool = True, within_s: float = 3.0) -> None: ...
    def count_tools(self, tab_id: TabId) -> int: ...
    def listed(self, tab_id: TabId) -> Sequence[tuple[ToolSpec, PageTool]]: ...
    async def call_page_tool(self, tab_id: TabId, name: str, arguments: JsonObject) -> ToolResult: ...

    def search_hub(self, query: str, domain: str, cursor: str | None) -> JsonObject:
        """A page of the tools that pages of all tabs registered."""
        ...

    async def call_hub_tool(self, name: str, arguments: JsonObject) -> ToolResult: ...


P = TypeVar("P", bound=Params)


@dataclass(frozen=True)
class Tool(Generic[P]):
    """One tool of ours."""

    name: str
    description: str
    params: type[P]
    access: Access
    run: Callable[[Desk, P], Awaitable[ToolResult]]
    toolset: Toolset
    hold: Hold = Hold.NONE
    faces: frozenset[Face] = BOTH_FACES
    hints: ToolHints = field(default_factory=ToolHints)
    chooses_browser: bool = False
    own_list: bool = False
    """Whether the call itself may change the session's list: then changes are told when it ends."""
    destination: Callable[[P], str | None] | None = None
    """The address the call would open, for the policy."""
    opens_tab: bool = False
    """Without a tab of the session's own it makes one, so it needs no target."""
    only_looks: Callable[[P], bool] | None = None
    """Whether a call with these parameters only looks, for the policy; without it all are as `access` says."""
    works_alone: Callable[[P], bool] | None = None
    """Whether a call with these parameters works without a browser: then none is launched for its sake."""
    while_dialog: bool = False
    """It works while a dialog holds the page up."""
    at_once: int | None = None
    """So many of its calls run at once in a session, where each costs much; more are refused."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, _schema(self.params), self.hints)

    def parse(self, arguments: JsonObject) -> tuple[P, JsonObject]:
        """The parameters, and the arguments as they were meant.

        Raises:
            InvalidArguments: they do not fit the schema; the message names each field.
        """
        return read_arguments(self.name, self.params, arguments)


AnyTool = Tool[Any]


class _Passing(GenerateJsonSchema):
    """Each is for one schema and refers to itself by all its methods: they would stay until garbage is looked for."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        made = super().generate(schema, mode)
        vars(self).clear()
        return made


@cache
def _schema(params: type[Params]) -> JsonObject:
    """The parameters' JSON Schema without what a model does not need."""
    schema = cast(JsonObject, params.model_json_schema(schema_generator=_Passing))
    return cast(JsonObject, _bare({"type": "object", "properties": {}, **schema}))


def _bare(value: Json) -> Json:
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if not isinstance(value, dict):
        return value
    dropped = {"title", "additionalProperties"} if value.get("type") == "object" else {"title"}
    kept = {
        key: _bare(inner) for key, inner in value.items() if key not in dropped or (inner and isinstance(inner, dict))
    }
    match kept:
        # an optional field: absent says all that null would
        case {"anyOf": [dict() as only, {"type": "null"}], "default": None}:
            return {**only, **{key: inner for key, inner in kept.items() if key not in ("anyOf", "default")}}
        # a choice of one: some clients know no other word for it
        case {"const": only}:
            return {"enum": [only], **{key: inner for key, inner in kept.items() if key != "const"}}
        case _:
            return kept
