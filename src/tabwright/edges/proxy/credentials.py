"""What we show the broker: what a file of credentials holds is told from how it looks, and read again at each connect.

So a password, a seed or a certificate is changed by changing its file, without a restart. `nkeys` signs for seeds and
`.creds` files; nats-py imports it only for those.
"""

import importlib
import logging
import re
import ssl
from pathlib import Path
from typing import Any, Final

from nats.aio.client import RawCredentials

from tabwright.proxy_settings import ProxySettings
from tabwright.settings import SettingsError

log = logging.getLogger(__name__)

_JWT: Final = re.compile(r"-+BEGIN NATS USER JWT-+\s+([\w.-]+)\s+-+END NATS USER JWT-+")
_SEED_BLOCK: Final = re.compile(r"-+BEGIN USER NKEY SEED-+\s+([A-Z2-7]+)\s+-+END USER NKEY SEED-+")
_SEED: Final = re.compile(r"S[A-Z2-7]{57}")


class Credentials:
    """Of one connection. Made once, which tells what is wrong with them before anything is served."""

    def __init__(self, settings: ProxySettings) -> None:
        """Raises:
        SettingsError: a file cannot be used.
        """
        self._settings = settings
        self.tls = _tls(settings)
        self._shown = _shown(settings.broker_credentials)

    @property
    def shown(self) -> dict[str, Any]:
        """What nats-py calls them, as they are now; while a file is not whole, as they were."""
        try:
            self._shown = _shown(self._settings.broker_credentials)
            if self.tls is not None:
                _load_pair(self.tls, self._settings)
        except SettingsError as exc:
            log.warning("the broker's credentials cannot be read again", extra={"reason": str(exc)})
        return self._shown


def _shown(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as exc:
        raise SettingsError(f"broker_credentials cannot be read: {exc}.", "Look at its path.") from None
    if not text:
        raise SettingsError(f"broker_credentials ({path}) is empty.", "Write user:password into it, or a seed.")
    if "BEGIN NATS USER JWT" in text or "BEGIN USER NKEY SEED" in text:
        return {"user_credentials": _creds(text, path)}
    if _SEED.fullmatch(text):
        return {"nkeys_seed_str": _user_seed(text, path)}
    user, colon, password = text.partition(":")
    return {"user": user, "password": password} if colon else {"token": user}


def _creds(text: str, path: Path) -> RawCredentials:
    jwt, seed = _JWT.search(text), _SEED_BLOCK.search(text)
    if jwt is None or seed is None:
        raise SettingsError(
            f"broker_credentials ({path}) looks like a .creds file, but lacks its {'seed' if jwt else 'JWT'}.",
            "Take it as `nsc generate creds` writes it.",
        )
    # in the shape that nats-py reads, whatever the line ends were
    return RawCredentials(
        f"-----BEGIN NATS USER JWT-----\n{jwt[1]}\n------END NATS USER JWT------\n"
        f"-----BEGIN USER NKEY SEED-----\n{_user_seed(seed[1], path)}\n------END USER NKEY SEED------\n"
    )


def _user_seed(seed: str, path: Path) -> str:
    nkeys: Any = importlib.import_module("nkeys")
    try:
        prefix, raw = nkeys.decode_seed(bytearray(seed.encode()))
        whole = nkeys.encode_seed(raw, prefix).decode() == seed
    except (nkeys.NkeysError, ValueError):
        whole = False
    if not whole:
        raise SettingsError(f"broker_credentials ({path}) holds a damaged seed.", "Take it from its source.")
    if not seed.startswith("SU"):
        raise SettingsError(f"broker_credentials ({path}) holds a seed that is no user's.", "A user's begins with SU.")
    return seed


def _tls(settings: ProxySettings) -> ssl.SSLContext | None:
    if settings.broker_ca is None and settings.broker_cert is None:
        return None
    try:
        context = ssl.create_default_context(cafile=settings.broker_ca)
    except (OSError, ssl.SSLError) as exc:
        raise SettingsError(f"broker_ca cannot be used: {exc}.", "Look at broker_ca.") from None
    _load_pair(context, settings)
    return context


def _load_pair(context: ssl.SSLContext, settings: ProxySettings) -> None:
    if settings.broker_cert is None:
        return
    try:
        context.load_cert_chain(settings.broker_cert, settings.broker_key)
    except (OSError, ssl.SSLError) as exc:
        raise SettingsError(
            f"The broker's certificates cannot be used: {exc}.", "Look at broker_cert and broker_key."
        ) from None
