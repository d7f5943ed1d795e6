"""Words all layers share: ids, tabs, tools and their results. No behaviour beyond what the words mean."""

import hashlib
import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NewType, Protocol, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, Json]

TabId = NewType("TabId", int)
"""A tab as clients see it: Chrome's own number unless two linked browsers share it."""
BrowserId = NewType("BrowserId", str)
"""The profile id an extension reports: one browser profile, however often its link breaks."""
SessionId = NewType("SessionId", str)
DocumentId = NewType("DocumentId", str)


@dataclass(frozen=True, slots=True)
class TabInfo:
    """One open tab as the browser last described it."""

    id: TabId
    title: str
    url: str
    active: bool = False
    window_id: int | None = None
    group_id: int | None = None
    opener_tab_id: TabId | None = None
    discarded: bool = False
    document_id: DocumentId | None = None
    loading: bool = False
    pending_url: str = ""
    """Where it is on its way to, while the server there has not answered."""
    crashed: bool = False
    """Its page is no more; loading it anew, or another, brings the tab back."""


class Toolset(Enum):
    """What a client may ask for with `--toolsets` or `?toolsets=`."""

    FOCUS = "focus"
    AUTOMATION = "automation"
    HUB = "hub"


class Face(Enum):
    """How the list behaves: it follows the focused tab, or it stays."""

    DYNAMIC = "dynamic"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class ToolHints:
    """MCP annotations of a tool."""

    read_only: bool = False
    destructive: bool = False
    open_world: bool = True


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a list shows it."""

    name: str
    description: str
    input_schema: JsonObject = field(hash=False)
    hints: ToolHints = field(default_factory=ToolHints)
    meta: JsonObject | None = field(default=None, hash=False)
    """`_meta`, passed on as a page gave it."""
    title: str = ""
    """What a page calls it for people; ours have none."""


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool that a page offers, as the page describes it (untrusted), with where it came from."""

    name: str
    description: str
    input_schema: JsonObject = field(hash=False)
    annotations: JsonObject = field(default_factory=dict[str, Json], hash=False)
    source: str = "page"
    origin: str = ""
    """Of the frame that offers it, as the browser says; empty where only the tab is known."""
    frame_id: int = 0
    document_id: DocumentId | None = None
    generic: bool = False
    """Works on any page: shown only to clients without the automation tools."""
    digest: str = ""
    """The page agent's own of a tool it derived; given back with a call, it says which tool was meant."""
    title: str = ""
    omitted: int = 0
    """Of the last one its frame tells: how many more there are that were not told."""

    @property
    def definition(self) -> str:
        """A digest of everything the page said of the tool; it changes when the tool does."""
        told = [self.name, self.description, self.input_schema, self.annotations, self.source]
        told += [self.title] if self.title else []
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


class Described(Protocol):
    """What a page says of a tool."""

    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> JsonObject: ...
    @property
    def annotations(self) -> JsonObject: ...


def changed_parts(before: Described, now: Described) -> tuple[str, ...]:
    """Which of its parts a page says differently of a tool now, by name: in whose words is the page's affair."""
    parts = {
        "title": (before.title, now.title),
        "description": (before.description, now.description),
        "inputSchema": (before.input_schema, now.input_schema),
        "annotations": (before.annotations, now.annotations),
    }
    return tuple(name for name, (was, is_now) in parts.items() if was != is_now)


@dataclass(frozen=True, slots=True)
class Notes:
    """What a page says of a part of its answer: whom it is for and how much it matters, and what it likes to add."""

    annotations: JsonObject | None = field(default=None, hash=False)
    meta: JsonObject | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    notes: Notes | None = None


@dataclass(frozen=True, slots=True)
class Image:
    data: str
    """Base64."""
    mime_type: str
    notes: Notes | None = None


@dataclass(frozen=True, slots=True)
class Audio:
    data: str
    """Base64."""
    mime_type: str
    notes: Notes | None = None

    @property
    def in_words(self) -> str:
        """For readers that know no such part."""
        return f"[audio, {self.mime_type}, {_bytes_of(self.data)} bytes]"


@dataclass(frozen=True, slots=True)
class Resource:
    """Something with an address of its own, whole: text, or else base64."""

    uri: str
    text: str | None = None
    blob: str = ""
    mime_type: str = ""
    meta: JsonObject | None = field(default=None, hash=False)
    notes: Notes | None = None

    @property
    def in_words(self) -> str:
        """For readers that know no such part."""
        if self.text is not None:
            return self.text
        return f"[resource {self.uri}, {self.mime_type or 'of no told kind'}, {_bytes_of(self.blob)} bytes]"


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """Something too large for an answer, by where it lies."""

    uri: str
    name: str
    mime_type: str = ""
    size: int | None = None
    title: str = ""
    description: str = ""
    notes: Notes | None = None

    @property
    def in_words(self) -> str:
        """For readers that know no such part."""
        size = "" if self.size is None else f"{self.size} bytes"
        told = ", ".join(filter(None, (self.mime_type, size)))
        return f"[link to {self.name}: {self.uri}{f' ({told})' if told else ''}]"


Content: TypeAlias = Text | Image | Audio | Resource | ResourceLink


def _bytes_of(base64: str) -> int:
    return len(base64.rstrip("=")) * 3 // 4


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call answers: content for the model, structured content for programs."""

    content: tuple[Content, ...]
    structured: JsonObject | None = None
    is_error: bool = False
    meta: JsonObject | None = None

    @property
    def texts(self) -> list[str]:
        """What there is to read in it."""
        read = [part.text for part in self.content if isinstance(part, Text | Resource)]
        return [text for text in read if text is not None]

    @property
    def characters(self) -> int:
        """How much text it holds for the model."""
        return sum(map(len, self.texts))

    @classmethod
    def of_json(cls, value: JsonObject, *, is_error: bool = False) -> "ToolResult":
        """The same JSON as the one text content and as structured content."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return cls((Text(text),), value, is_error)


NO_TOOLS: Final[tuple[PageTool, ...]] = ()
