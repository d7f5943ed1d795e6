"""The command line of the hosted proxy: `tabwright proxy`, `tabwright proxy init`, `tabwright token …`."""

import asyncio
import gc
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from cyclopts import App, Parameter
from pydantic import BaseModel
from rich.console import Console

from tabwright.cli_flags import flags_of
from tabwright.edges.runtime import Home
from tabwright.errors import GatewayError
from tabwright.home import home_folder
from tabwright.proxy_settings import ProxySettings, in_url, is_loopback, load_proxy
from tabwright.settings import SettingsError

proxy_app = App(name="proxy", help="Run the hosted proxy: many users' clients and browsers, kept apart by tokens.")
token_app = App(name="token", help="Issue, inspect and revoke the proxy's access tokens.")
err = Console(stderr=True, soft_wrap=True, highlight=False)
# programs and people paste tokens: whole lines
out = Console(soft_wrap=True, highlight=False, markup=False, width=None if sys.stdout.isatty() else 10_000)

_DURATION: Final = re.compile(r"(\d{1,9})([smhd]?)")
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


if TYPE_CHECKING:
    from tabwright.proxy_app import ProxyFolder

    class ProxyFlags(BaseModel): ...
else:
    ProxyFlags = flags_of(ProxySettings, ProxySettings.model_fields)


@proxy_app.default
def proxy(*, flags: Annotated[ProxyFlags | None, Parameter(name="*")] = None) -> None:
    """Run the proxy: extensions on wss://…/extension, MCP clients on wss://…/mcp."""
    from tabwright.edges.proxy.logs import set_up_proxy_logs
    from tabwright.proxy_app import Proxy, ProxyFolder

    os.umask(0o077)
    settings = _settings({} if flags is None else flags.model_dump())
    set_up_proxy_logs(settings.log_level, settings.log_format)

    async def main() -> None:
        made = Proxy(settings, ProxyFolder(Path(home_folder())))
        # thousands of sockets live long: looking through them again and again finds nothing
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        await made.run(lambda port, metrics: _tell_ready(settings, port, metrics))

    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(main())


@proxy_app.command
def init(*, user: str = "me", url: str | None = None, ttl: str = "365d") -> None:
    """Make the proxy's keys, note where it is reached, and print a token for a browser and one for a gateway.

    Parameters
    ----------
    user
        Whose browser it is: any name, an e-mail address for instance.
    url
        Where clients will reach the proxy, like wss://proxy.example.com; by default this machine alone.
    ttl
        How long the tokens are good: 90s, 15m, 12h, 365d.
    """
    from tabwright.edges.proxy.file import NAME, set_public_url
    from tabwright.edges.proxy.keys import make_pair, private_key
    from tabwright.proxy_app import ProxyFolder

    seconds = _seconds(ttl)
    settings = _settings({"public_url": url})
    place = _place(settings)
    home = Home(Path(home_folder()))
    home.prepare()
    folder = ProxyFolder(home.path)
    made = make_pair(folder.private_key, folder.public_key)
    key = private_key(folder.private_key)
    tokens = {
        role: _issue(key, user=user, role=role, ttl_s=seconds, scope=scope, url=place)
        for role, scope in (("extension", ""), ("mcp", "cdp"))
    }
    out.print(f"{'Made' if made else 'Kept'} {folder.private_key} (keep it secret) and {folder.public_key}.")
    wrote = set_public_url(home.path, place)
    out.print(f'{home.path / NAME} {"now says" if wrote else "says"} public_url = "{place}".\n')
    for role, token in tokens.items():
        who = "the browser's extension" if role == "extension" else "the gateway or another MCP client"
        out.print(f"Token for {who}, at {place}/{role}:\n{token}\n")
    out.print(f"Whoever has one of them is user {user} for {ttl}; `tabwright token revoke` ends it before.")
    out.print(f"1. {_how_to_start(place, settings)}")
    out.print("2. In the browser: tabwright's popup, Servers & settings, and paste the first token there.")
    out.print("3. Save the second token in a file that only you can read; start the gateway where your clients are:")
    out.print(f"   `tabwright serve --via {place} --via-token-file FILE`.")
    out.print("More tokens: `tabwright token issue --user NAME --role extension|mcp`.")


def _how_to_start(place: str, settings: ProxySettings) -> str:
    """The command that listens where the tokens say."""
    told = urlsplit(place)
    if told.scheme == "ws":
        port = told.port or 80
        return f"Start the proxy: `tabwright proxy{'' if port == settings.port else f' --port {port}'}`."
    return (
        f"Start the proxy: `tabwright proxy --host 0.0.0.0 --port {told.port or 443} --tls-cert FILE --tls-key FILE`, "
        "or, where a front server ends TLS, `tabwright proxy --behind-proxy`."
    )


@proxy_app.command
def status(
    *,
    broker: str | None = None,
    broker_credentials: Path | None = None,
    broker_ca: Path | None = None,
    broker_cert: Path | None = None,
    broker_key: Path | None = None,
    metrics_port: int | None = None,
    json: bool = False,
) -> None:
    """Show the replicas on the broker, or the one proxy on this machine: extensions, clients, calls.

    Parameters
    ----------
    broker
        NATS servers, as the proxies have them; by default those of proxy.toml or TABWRIGHT_PROXY_BROKER.
    broker_credentials
        A file as the proxies have one; a user that may only ask is enough.
    broker_ca
        Who signs the broker's certificate (PEM).
    broker_cert
        Our certificate for the broker (PEM).
    broker_key
        Private key of that certificate (PEM).
    metrics_port
        Where a proxy without broker tells its numbers; by default that of proxy.toml.
    json
        For programs.
    """
    from tabwright.cli_proxy_status import show_one, show_replicas

    settings = _settings(
        {
            "broker": broker,
            "broker_credentials": broker_credentials,
            "broker_ca": broker_ca,
            "broker_cert": broker_cert,
            "broker_key": broker_key,
            "metrics_port": metrics_port,
        }
    )
    if settings.broker:
        show_replicas(settings, as_json=json)
    elif settings.metrics_port is not None:
        show_one(settings.metrics_port, as_json=json)
    else:
        raise SettingsError(
            "There is no broker to ask, and no metrics port.",
            "Give --broker nats://… for all replicas, or --metrics-port for the proxy on this machine.",
        )


@token_app.command
def issue(
    *,
    user: str,
    role: Literal["extension", "mcp"],
    ttl: str = "30d",
    scope: str = "",
    url: str | None = None,
    extension_id: str | None = None,
    key_file: Path | None = None,
) -> None:
    """Print a new token, signed with the key of `proxy init`, or with the proxy's HS256 secret where that is set.

    Parameters
    ----------
    user
        Whose token it is; a user's clients reach that user's browsers and no others.
    ttl
        How long it is good: 90s, 15m, 12h, 30d.
    scope
        What it allows besides: cdp, for raw DevTools commands.
    url
        Where the client reaches the proxy; by default public_url.
    extension_id
        A name that the browser keeps over reconnects (ext-…): one browser at a time may have it.
    key_file
        Another private key (PEM).
    """
    from tabwright.edges.proxy.keys import private_key, secret_key
    from tabwright.proxy_app import ProxyFolder

    settings = _settings({"public_url": url})
    if settings.jwt_secret_file is not None and key_file is None:
        key = secret_key(settings.jwt_secret_file)
    else:
        key = private_key(key_file or _own_key(settings, ProxyFolder(Path(home_folder()))))
    place = _place(settings)
    told = _issue(
        key,
        user=user,
        role=role,
        ttl_s=_seconds(ttl),
        scope=scope,
        url=place,
        extension_id=extension_id,
        audience=settings.audience,
        issuer=settings.issuer,
    )
    print(told)  # noqa: T201 - for $(...)


@token_app.command
def inspect(*, token_file: Path | None = None) -> None:
    """Show what a token says and whether the proxy would take it. Reads it from stdin, or from a file."""
    import jwt

    from tabwright.edges.proxy.tokens import Revocations, Tokens, peek, shown
    from tabwright.proxy.model import Refused, Role
    from tabwright.proxy_app import ProxyFolder, keys_of

    try:
        token = (sys.stdin.read() if token_file is None else token_file.read_text(encoding="ascii")).strip()
        told = peek(token)
    except OSError as exc:
        raise GatewayError(f"{token_file} cannot be read: {exc.strerror}.", "Look at its path and rights.") from None
    except (jwt.PyJWTError, ValueError):
        raise GatewayError("This is not a token.", "Give one on stdin or as --token-file.") from None
    settings = _settings({})
    folder = ProxyFolder(Path(home_folder()))
    revocations = Revocations(settings.revocations or folder.revoked)
    revocations.changed()

    async def verdicts() -> dict[str, str]:
        tokens = Tokens(keys_of(settings, folder), settings.rules(), revocations)
        found: dict[str, str] = {}
        for role in Role:
            outcome = await tokens.verify(token, role)
            found[role.value] = f"no: {outcome.reason}" if isinstance(outcome, Refused) else "yes"
        return found

    left = told["claims"].get("exp")
    if isinstance(left, int | float):
        told["seconds_left"] = round(left - time.time())
    print(shown({**told, "accepted_as": asyncio.run(verdicts())}))  # noqa: T201 - for programs


@token_app.command
def revoke(token_id: str | None = None, /, *, user: str | None = None) -> None:
    """Refuse a token from now on, by its id (jti), or all tokens of a user. Open sockets are closed.

    Parameters
    ----------
    token_id
        The jti that `token inspect` shows.
    user
        All tokens of this user, those issued later included.
    """
    from tabwright.edges.proxy.tokens import revoke as write
    from tabwright.proxy.claims import is_token_id, is_user
    from tabwright.proxy_app import ProxyFolder

    if (user is None) == (token_id is None):
        raise SettingsError("Give a token id or --user.", "`tabwright token inspect` shows the id as jti.")
    if user is not None and not is_user(user):
        raise SettingsError("No user can have this name.", "Write it as in user_id or sub of the token.")
    if token_id is not None and not is_token_id(token_id):
        raise SettingsError("This is not a token id.", "`tabwright token inspect` shows the id as jti.")
    entry = f"user:{user}" if user is not None else str(token_id)
    home = Home(Path(home_folder()))
    home.prepare()
    folder = ProxyFolder(home.path)
    folder.path.mkdir(mode=0o700, exist_ok=True)
    write(_settings({}).revocations or folder.revoked, entry)
    out.print("Revoked: a running proxy closes its open sockets within seconds.")


def _issue(
    key: Any,
    *,
    user: str,
    role: str,
    ttl_s: float,
    scope: str,
    url: str,
    extension_id: str | None = None,
    audience: str | None = None,
    issuer: str | None = None,
) -> str:
    from tabwright.edges.proxy.tokens import Grant, decode
    from tabwright.edges.proxy.tokens import issue as sign
    from tabwright.proxy.claims import Rules, identify
    from tabwright.proxy.model import Refused, Role, UserId

    grant = Grant(UserId(user), Role(role), ttl_s, f"{url}/{role}", scope, audience, issuer, extension_id)
    token = sign(grant, key)
    material = key.material.public_key() if hasattr(key.material, "public_key") else key.material
    claims = decode(token, type(key)(material, key.algorithm))
    # better here than at the proxy's door
    outcome = identify(claims, grant.role, Rules(audience, issuer), time.time())
    if isinstance(outcome, Refused):
        raise SettingsError(f"No such token can be issued: {outcome.reason}.", "See `tabwright token issue --help`.")
    return token


def _seconds(told: str) -> float:
    found = _DURATION.fullmatch(told)
    if found is None or int(found[1]) == 0:
        raise SettingsError(f"{told!r} is not a duration.", "Write 90s, 15m, 12h or 30d.")
    return int(found[1]) * _SECONDS[found[2]]


def _settings(flags: dict[str, Any]) -> ProxySettings:
    from tabwright.edges.proxy.file import read

    return load_proxy(flags, os.environ, read(Path(home_folder())))


def _place(settings: ProxySettings) -> str:
    """Where clients reach the proxy.

    Raises:
        SettingsError: nobody has said, and it is not this machine alone; or nobody would go there.
    """
    if settings.public_url is None and not is_loopback(settings.host):
        raise SettingsError(
            "Nobody has said where clients reach the proxy.", "Give --url, like --url wss://proxy.example.com."
        )
    place = (settings.public_url or f"ws://{in_url(settings.host)}:{settings.port}").rstrip("/")
    told = urlsplit(place)
    if told.scheme == "ws" and not is_loopback(told.hostname or ""):
        # neither gateway nor extension sends a token there
        raise SettingsError(
            f"{place} is unencrypted, and neither gateways nor browsers send a token there.",
            f"Say wss://{told.netloc}, also where a front server ends TLS.",
        )
    return place


def _own_key(settings: ProxySettings, folder: "ProxyFolder") -> Path:
    """Raises:
    SettingsError: there is no key here to sign with, or the proxy would not take what it signs.
    """
    for name in ("jwks", "public_key"):
        if getattr(settings, name) is not None:
            raise SettingsError(
                f"The proxy checks tokens with {name}, whose private half is elsewhere.",
                "Let whoever has it issue the token, or give --key-file.",
            )
    if not folder.private_key.exists():
        raise SettingsError("There is no key to sign tokens with yet.", "Run `tabwright proxy init` first.")
    return folder.private_key


def _tell_ready(settings: ProxySettings, port: int, metrics_port: int | None) -> None:
    scheme = "ws" if settings.tls_cert is None else "wss"
    err.print(f"tabwright proxy ready {scheme}://{in_url(settings.host)}:{port}")
    if metrics_port is not None:
        err.print(f"metrics http://127.0.0.1:{metrics_port}/metrics")
    if not settings.auth:
        err.print("auth = off: every process of yours on this machine can drive every browser that connects")


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
