"""argv, environment and file become one frozen Settings. Flags > TABWRIGHT_* > CLAUDE_BROWSER_* > settings.toml.

A setting is a field here and nothing else: its flag, its variable, its key in the file and its line in the docs follow
from it. Session settings travel with a client to the gateway that runs; the others are fixed at its start.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Final, Literal, Self, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from tabwright.errors import GatewayError
from tabwright.first_words import EXTENSION_PORT, PORT
from tabwright.model import Face, Toolset
from tabwright.policy.urls import origin_of
from tabwright.policy.via import WrongVia, read_via
from tabwright.session.workspace import Options


class SettingsError(GatewayError):
    """A setting that makes no sense; said in one line, exit code 2."""


class Scope(Enum):
    GATEWAY = "gateway"
    SESSION = "session"


def _words(value: object) -> object:
    return tuple(word for word in value.replace(",", " ").split()) if isinstance(value, str) else value


def _folders(value: object) -> object:
    return tuple(part for part in value.split(os.pathsep) if part) if isinstance(value, str) else value


def _arguments(value: object) -> object:
    if not isinstance(value, str):
        return value
    # most people give none, and what reads quotes would stay in memory
    import shlex

    return tuple(shlex.split(value))


def _own_folder(value: str) -> str:
    """The gateway stands elsewhere than whoever wrote this: only whole paths mean the same to both."""
    folder = os.path.expanduser(value)
    if not os.path.isabs(folder):
        raise ValueError(f"{value!r} is not an absolute path: begin it with / or ~")
    return os.path.normpath(folder)


Words = Annotated[tuple[str, ...], BeforeValidator(_words)]
Folder = Annotated[str, AfterValidator(_own_folder)]
Folders = Annotated[tuple[Folder, ...], BeforeValidator(_folders)]
Arguments = Annotated[tuple[str, ...], BeforeValidator(_arguments)]
SessionName = Annotated[str, Field(min_length=1, max_length=128)]
Toolsets = Annotated[tuple[Toolset, ...], BeforeValidator(_words)]
MIN_TOKEN_CHARS: Final = 22
"""128 bits in base64."""
_OUR_ARGUMENTS: Final = {
    "--user-data-dir": "the profile is in the home folder: name another with TABWRIGHT_HOME",
    "--headless": "there is a setting for it: headless",
    "--load-extension": "it would take the place of tabwright's own",
    "--disable-extensions": "without its extension tabwright cannot reach the browser",
    "--disable-extensions-except": "without its extension tabwright cannot reach the browser",
}
"""What a launched browser cannot be given besides, and why."""


def _session(default: Any, description: str) -> Any:
    return Field(default=default, description=description, json_schema_extra={"scope": Scope.SESSION.value})


class Settings(BaseModel):
    """Everything that can be set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(default="127.0.0.1", description="Loopback address on which both ports listen.")
    port: int = Field(default=PORT, ge=0, le=65535, description="HTTP port (`/mcp`, `/sse`); 0 takes any free port.")
    http: bool = Field(default=True, description="Serve MCP on the HTTP port; without it only `/health` answers there.")
    extension_port: int = Field(
        default=EXTENSION_PORT,
        ge=0,
        le=65535,
        description="Port that the extension connects to; 0 takes any free port.",
    )
    launch: bool = Field(default=False, description="Start a browser with the gateway.")
    browser: str | None = Field(
        default=None, description="Browser to launch: a path, or chrome, chromium, edge, brave."
    )
    browser_args: Arguments = Field(
        default=(),
        description="More arguments for a launched browser, like `--lang=fr --proxy-server=http://proxy.example:3128`.",
    )
    headless: bool | None = Field(
        default=None, description="Launch without a window; by default only if there is no display."
    )
    auth: Literal["same-user", "token", "off"] = Field(
        default="same-user",
        description="Who may use the HTTP port: this user's processes, only holders of the token, or everyone here.",
    )
    auth_token: SecretStr | None = Field(
        default=None, description="Token for the HTTP port; setting it implies `auth = token`."
    )
    cors_origins: Words = Field(default=(), description="Exact origins of web pages that may use the HTTP port.")
    message_rate: int = Field(
        default=100, ge=0, description="Messages a minute that one `/sse` session may post; 0 means no limit."
    )
    mcp_rate: int = Field(
        default=6000, ge=0, description="Requests a minute that one client may send to `/mcp`; 0 means no limit."
    )
    link_grace_s: float = Field(
        default=5.0, ge=0, le=60, description="Seconds for which a browser may be gone before sessions lose it."
    )
    connect_wait_s: float = Field(
        default=3.0, ge=0, le=60, description="Seconds for which connect_browser waits for a paired browser."
    )
    idle_exit_s: float = Field(
        default=600.0, gt=0, description="Seconds without a client after which a gateway that a client started ends."
    )
    via: str | None = Field(
        default=None,
        description="Use browsers on other machines through the proxy at this address, like wss://proxy.example.com.",
    )
    via_token_file: Folder | None = Field(default=None, description="File with the token for that proxy.")
    via_token: SecretStr | None = Field(default=None, description="Token for that proxy, in place of a file.")
    hub_origins: Words = Field(
        default=(),
        description="Origins whose pages may register tools (`https://*.example.com`: all below it); by default all.",
    )
    local_relay: bool = Field(
        default=False,
        description="Accept tools of pages that use the local-relay script, in browsers without the extension.",
    )
    relay_origins: Words = Field(default=(), description="Exact origins that may use the local relay.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="How much is logged.")
    toolsets: Toolsets = _session(
        (Toolset.FOCUS, Toolset.AUTOMATION), "Which tools a client sees: any of focus, automation, hub."
    )
    list: Literal["auto", "dynamic", "stable"] = _session(
        "auto",
        "Whether the tool list follows the focused tab: depending on the client's MCP version, always, or never.",
    )
    activate_on_focus: bool = _session(
        False, "focus_tab also brings the tab to the front (launched browsers always do)."
    )
    follow_active_tab: bool = _session(False, "The session's focus follows the person to the tab they switch to.")
    close_group_on_end: bool = _session(
        False, "Close the session's tab group, with every tab in it, when the session ends."
    )
    upload_dirs: Folders = _session(
        (), "Folders whose files may be uploaded to pages, separated by `:`; none by default."
    )
    output_dir: Folder | None = _session(
        None, "Where files made for a session are saved; by default `output/<session>` in the home folder."
    )
    session: SessionName | None = _session(
        None, "A name under which a client that connects again finds its tabs, for half an hour."
    )

    @field_validator("host")
    @classmethod
    def _loopback(cls, value: str) -> str:
        if value not in ("127.0.0.1", "::1", "localhost"):
            raise ValueError("only loopback addresses (127.0.0.1, ::1, localhost); for other machines there is a proxy")
        return value

    @field_validator("browser_args")
    @classmethod
    def _no_argument_of_ours(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for argument in value:
            if not argument.startswith("--"):
                raise ValueError(f"{argument!r} is not a browser argument: they begin with --, like --lang=fr")
            if (reason := _OUR_ARGUMENTS.get(argument.partition("=")[0])) is not None:
                raise ValueError(f"{argument.partition('=')[0]} cannot be given: {reason}")
        return value

    @field_validator("via")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        try:
            return None if value is None else read_via(value)
        except WrongVia as exc:
            raise ValueError(str(exc)) from None

    @field_validator("hub_origins")
    @classmethod
    def _patterns(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _is_origin(origin.replace("://*.", "://", 1)):
                raise ValueError(
                    f"{origin!r} is not an origin: write it like https://example.com, or https://*.example.com"
                )
        return value

    @field_validator("cors_origins", "relay_origins")
    @classmethod
    def _exact(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if "*" in origin:
                raise ValueError(
                    f"{origin!r} is not an exact origin: any page of such a pattern could use your browser"
                )
            if not _is_origin(origin):
                raise ValueError(f"{origin!r} is not an origin: give scheme, host and port, like http://localhost:3000")
        return value

    @field_validator("auth_token")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < MIN_TOKEN_CHARS:
            raise ValueError(f"a token has at least {MIN_TOKEN_CHARS} characters (128 bits)")
        return value

    @model_validator(mode="before")
    @classmethod
    def _token_means_auth(cls, data: Any) -> Any:
        given = cast(dict[str, Any], data)
        return {"auth": "token", **given} if given.get("auth_token") is not None else given

    @model_validator(mode="after")
    def _via_is_whole(self) -> Self:
        given = [name for name in ("via_token_file", "via_token") if getattr(self, name) is not None]
        if given and self.via is None:
            raise ValueError(f"{given[0]} is for a proxy, and none is named: give via too")
        if len(given) > 1:
            raise ValueError("give via_token_file or via_token, not both")
        return self

    def options(self, *, modern: bool) -> Options:
        """The session options for a client of that era."""
        stable = self.list == "stable" or (self.list == "auto" and modern)
        return Options(
            toolsets=frozenset(self.toolsets),
            face=Face.STABLE if stable else Face.DYNAMIC,
            activate_on_focus=self.activate_on_focus,
            follow_active_tab=self.follow_active_tab,
            close_group_on_end=self.close_group_on_end,
            upload_dirs=self.upload_dirs,
            output_dir=self.output_dir,
            session=self.session,
        )

    def for_session(self, asked: Mapping[str, str]) -> "Settings":
        """These settings with what one client asked for itself.

        Raises:
            SettingsError: it asked for something that does not exist.
        """
        wanted = {name.replace("-", "_"): value for name, value in asked.items()}
        own = {name: value for name, value in wanted.items() if name in SESSION_FIELDS}
        return merge(Settings, [(str, {**self.model_dump(exclude_none=True), **own})], _HINT)


def _is_origin(text: str) -> bool:
    return origin_of(text) == text or re.fullmatch(r"chrome-extension://[a-p]{32}", text) is not None


SECRET_FIELDS: Final = frozenset({"auth_token", "via_token"})
"""Never in argv, where every user of the machine could read them."""
SESSION_FIELDS: Final = frozenset(
    name
    for name, info in Settings.model_fields.items()
    if cast(dict[str, str] | None, info.json_schema_extra) == {"scope": Scope.SESSION.value}
)
_LEGACY: Final = {"CLAUDE_BROWSER_MCP_PORT": "port", "CLAUDE_BROWSER_AUTH_TOKEN": "auth_token"}
_SERVER_BLOCK: Final = {
    "enabled": "http",
    "port": "port",
    "host": "host",
    "authToken": "auth_token",
    "corsOrigins": "cors_origins",
}
"""The HTTP server specification's `mcpServer` block, key by key."""


_HINT: Final = "See `tabwright serve --help`."
"""Not `tabwright config`, which would stumble over the same setting."""


def variable(name: str) -> str:
    return f"TABWRIGHT_{name.upper()}"


def flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def load(flags: Mapping[str, object], environ: Mapping[str, str] | None = None, file_text: str = "") -> Settings:
    """One Settings from all sources.

    Raises:
        SettingsError: naming the setting, where it came from, and what is wrong with it.
    """
    environ = environ or {}
    old = {field: name for name, field in _LEGACY.items() if _is_set(name, environ)}
    layers: list[Layer] = [
        (lambda name: f"{name} in settings.toml", _read_file(file_text)),
        (lambda name: old[name], {field: environ[name] for field, name in old.items()}),
        (
            variable,
            {name: environ[variable(name)] for name in Settings.model_fields if _is_set(variable(name), environ)},
        ),
        (flag, {name: value for name, value in flags.items() if value is not None}),
    ]
    return merge(Settings, layers, _HINT)


Model = TypeVar("Model", bound=BaseModel)
Layer = tuple[Callable[[str], str], Mapping[str, object]]
"""How a setting is spelled in one source, and what is set there."""


def merge(model: type[Model], layers: Sequence[Layer], hint: str) -> Model:
    """One model from layers of values; later ones win.

    Raises:
        SettingsError: naming the setting as the person wrote it, and what is wrong with it.
    """
    merged: dict[str, object] = {}
    written: dict[str, str] = {}
    for spelled, values in layers:
        merged.update(values)
        written.update({name: spelled(name) for name in values})
    try:
        return model.model_validate(merged)
    except ValidationError as exc:
        error = exc.errors(include_url=False)[0]
        name = str(error["loc"][0]) if error["loc"] else ""
        place = written.get(name, name)
        if error["type"] == "extra_forbidden":
            # nobody else needs it, and a gateway lives long
            from difflib import get_close_matches

            like = get_close_matches(name, model.model_fields, 1)
            meant = f" Did you mean {like[0]}?" if like else ""
            raise SettingsError(f"There is no setting {place}.{meant}", hint) from None
        why = error["msg"].removeprefix("Value error, ")
        told = f" {why.removeprefix('Input ').partition(', unable')[0]}" if why.startswith("Input ") else f": {why}"
        raise SettingsError(f"{place}{told}." if place else f"{why}.", hint) from None


def _is_set(name: str, environ: Mapping[str, str]) -> bool:
    """An empty variable is none, except for a token: whoever empties that must not be left without a lock unawares."""
    return bool(environ.get(name)) or (name in environ and name.endswith("AUTH_TOKEN"))


def _read_file(text: str) -> dict[str, object]:
    if not text:
        return {}
    # most people have no such file, and its parser would stay in memory
    import tomllib

    try:
        given: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise SettingsError(f"settings.toml cannot be read: {exc}.", "Correct the file.") from None
    block = given.pop("mcpServer", {})
    read = {name.replace("-", "_"): value for name, value in given.items()}
    for key, value in _read_server_block(block).items():
        if key in read:
            raise SettingsError(f"settings.toml sets {key} twice, in [mcpServer] too.", "Keep one of them.")
        read[key] = value
    return read


def _read_server_block(block: object) -> dict[str, object]:
    if not isinstance(block, dict):
        raise SettingsError("mcpServer (settings.toml) is a table.", "Write it as [mcpServer].")
    given = cast(dict[str, object], block)
    unknown = ", ".join(given.keys() - _SERVER_BLOCK.keys())
    if unknown:
        known = ", ".join(_SERVER_BLOCK)
        raise SettingsError(f"There is no {unknown} in [mcpServer] (settings.toml).", f"It has {known}.")
    return {_SERVER_BLOCK[key]: value for key, value in given.items()}
