"""The hosted proxy's settings: flags > TABWRIGHT_PROXY_* > proxy.toml in the home folder.

A setting is a field here and nothing else. Secrets are files, never flags.
"""

import ipaddress
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tabwright.proxy.admission import DoorLimits
from tabwright.proxy.claims import Rules
from tabwright.proxy.model import Limits
from tabwright.settings import Layer, SettingsError, flag, merge

MIN_SECRET_BYTES: Final = 32
_PREFIX: Final = "TABWRIGHT_PROXY_"


def _words(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


Words = Annotated[tuple[str, ...], BeforeValidator(_words)]


class ProxySettings(BaseModel):
    """Everything that can be set of a proxy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; a public one needs TLS, or `--behind-proxy`."
    )
    port: int = Field(default=8787, ge=0, le=65535, description="Port to listen on; 0 takes any free port.")
    public_url: str | None = Field(
        default=None,
        description="Where clients reach this proxy (wss://proxy.example.com): its Host, and their tokens'.",
    )
    tls_cert: Path | None = Field(default=None, description="Certificate chain (PEM).")
    tls_key: Path | None = Field(default=None, description="Private key of the certificate (PEM).")
    behind_proxy: bool = Field(
        default=False, description="A front server ends TLS and is alone in reaching us; its X-Forwarded-For counts."
    )
    auth: bool = Field(default=True, description="Ask for tokens; without (`--no-auth`) one user, on loopback alone.")
    jwt_secret_file: Path | None = Field(
        default=None, description=f"Secret of HS256 tokens: a file of {MIN_SECRET_BYTES} bytes or more."
    )
    jwks: str | None = Field(default=None, description="Address of a JSON Web Key Set (https) that signs tokens.")
    public_key: Path | None = Field(
        default=None,
        description="Public key of tokens (PEM: Ed25519, P-256 or RSA); by default the one of `proxy init`.",
    )
    audience: str | None = Field(default=None, description="What `aud` of every token must be.")
    issuer: str | None = Field(default=None, description="What `iss` of every token must be.")
    require_role: bool = Field(default=False, description="Refuse tokens without a `role`.")
    revocations: Path | None = Field(
        default=None, description="File of revoked token ids, a line each; by default the one of `token revoke`."
    )
    allow_cdp: bool = Field(default=False, description="Let every client send raw DevTools commands.")
    origins: Words = Field(default=(), description="Exact origins of web pages that may connect, besides extensions.")
    rate: float = Field(
        default=1000,
        ge=0,
        description="Messages a second from one user, a fifth of it from one connection; 0 means no limit.",
    )
    user_peers: int = Field(default=100, ge=1, description="How many sockets one user may have at a time.")
    strangers: int = Field(
        default=2000, ge=1, description="How many sockets that have not authenticated there may be at a time."
    )
    strangers_per_address: int = Field(default=200, ge=1, description="The same, from one address.")
    connects_per_address: float = Field(
        default=100, ge=0, description="New sockets a second from one address; 0 means no limit."
    )
    call_timeout_s: float = Field(default=120, gt=0, description="Seconds that a call may take.")
    drain_s: float = Field(default=10, ge=0, description="Seconds that open calls have to end after SIGTERM.")
    silence_s: float = Field(
        default=20,
        ge=1,
        description="Silence after which a socket is asked for a sign of life; as long again, and it is closed. "
        "A message may stay unfinished for as long.",
    )
    client_frame_bytes: int = Field(default=1 << 20, ge=8192, description="Largest message of a client.")
    extension_frame_bytes: int = Field(default=8 << 20, ge=8192, description="Largest message of an extension.")
    queue_bytes: int = Field(
        default=1 << 20, ge=65536, description="What may wait for a slow reader before its speaker waits."
    )
    broker: Words = Field(
        default=(),
        description="NATS servers (nats://host:4222) through which several proxies are one; none: this alone.",
    )
    broker_credentials: Path | None = Field(
        default=None,
        description="A file for the broker: `user:password`, a token, an NKey seed, or what a `.creds` file holds.",
    )
    broker_ca: Path | None = Field(
        default=None, description="Who signs the broker's certificate (PEM); for tls:// servers."
    )
    broker_cert: Path | None = Field(default=None, description="Our certificate for the broker (PEM).")
    broker_key: Path | None = Field(default=None, description="Private key of that certificate (PEM).")
    broker_copies: int = Field(
        default=1, ge=1, le=5, description="On how many NATS servers presence is kept; 3 in a cluster of three."
    )
    metrics_port: int | None = Field(
        default=None, ge=0, le=65535, description="Loopback port with `/metrics` for everyone there."
    )
    metrics_token_file: Path | None = Field(
        default=None, description="Token (a file) for `/metrics` on the main port, as Authorization: Bearer."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="How much is logged.")
    log_format: Literal["json", "text"] = Field(default="json", description="Log lines on stderr: JSON or plain text.")

    @model_validator(mode="after")
    def _together(self) -> "ProxySettings":
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key go together")
        keys = [name for name in ("jwt_secret_file", "jwks", "public_key") if getattr(self, name) is not None]
        if len(keys) > 1:
            raise ValueError(f"{' and '.join(keys)} are alternatives: one kind of key checks all tokens")
        if not self.auth and keys:
            raise ValueError(f"--no-auth asks for no token, so {keys[0]} would mean nothing")
        if not self.auth and not is_loopback(self.host):
            raise ValueError("--no-auth is for loopback alone: whoever reaches it drives every browser on it")
        if not is_loopback(self.host) and self.tls_cert is None and not self.behind_proxy:
            raise ValueError(f"{self.host} is not a loopback address: give --tls-cert and --tls-key, or --behind-proxy")
        if self.jwks is not None and not _is_trustworthy(self.jwks):
            raise ValueError("jwks is an https address; http only on loopback")
        if (self.broker_cert is None) != (self.broker_key is None):
            raise ValueError("broker_cert and broker_key go together")
        if not self.broker and (self.broker_credentials or self.broker_ca or self.broker_cert):
            raise ValueError("broker_credentials, broker_ca and broker_cert mean nothing without broker")
        for url in self.broker:
            parts = urlsplit(url)
            if parts.scheme not in ("nats", "tls") or not parts.hostname:
                raise ValueError("broker is one or more addresses like nats://broker.example.com:4222 or tls://…")
            if parts.username or parts.password:
                raise ValueError("broker holds no password: write it to a file and give broker_credentials")
        if self.public_url is not None and not _is_place(self.public_url):
            raise ValueError("public_url is a WebSocket address without a path, like wss://proxy.example.com")
        return self

    def limits(self) -> Limits:
        return Limits(call_s=self.call_timeout_s, drain_s=self.drain_s, user_rate=self.rate, user_peers=self.user_peers)

    def door_limits(self) -> DoorLimits:
        return DoorLimits(self.strangers, self.strangers_per_address, self.connects_per_address)

    def rules(self) -> Rules:
        return Rules(self.audience, self.issuer, self.require_role, self.public_url)


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def in_url(host: str) -> str:
    """An address as it stands in a URL: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_place(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.path in ("", "/") and parts.port != 0
    except ValueError:
        return False


def _is_trustworthy(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def load_proxy(flags: Mapping[str, object], environ: Mapping[str, str], file_text: str = "") -> ProxySettings:
    """One ProxySettings from all sources.

    Raises:
        SettingsError: naming the setting, where it came from, and what is wrong with it.
    """
    layers: tuple[Layer, ...] = (
        (lambda name: f"{name} in proxy.toml", _read_file(file_text)),
        (
            variable,
            {name: environ[variable(name)] for name in ProxySettings.model_fields if environ.get(variable(name))},
        ),
        (flag, {name: value for name, value in flags.items() if value is not None}),
    )
    return merge(ProxySettings, layers, "See `tabwright proxy --help`.")


def _read_file(text: str) -> dict[str, object]:
    try:
        return {name.replace("-", "_"): value for name, value in tomllib.loads(text).items()}
    except tomllib.TOMLDecodeError as exc:
        raise SettingsError(f"proxy.toml cannot be read: {exc}.", "Correct the file.") from None
