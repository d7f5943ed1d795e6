"""What the gateway was started with, for the dashboard: every setting that is not as usual, and where its files lie."""

from typing import Any, cast

from tabwright.edges.runtime import Home
from tabwright.model import Json, JsonObject
from tabwright.settings import SECRET_FIELDS, SESSION_FIELDS, Settings


def described_settings(settings: Settings, home: Home) -> JsonObject:
    """Secrets are said to be set, never told."""
    return {
        "files": {
            "home": str(home.path),
            "settings": str(home.settings_file),
            "policy": str(home.policy_file),
            "policyExists": home.policy_file.exists(),
            "log": str(home.log_file),
            "output": str(home.output),
        },
        "settings": [
            _setting(name, getattr(settings, name), info.default, info.description or "")
            for name, info in Settings.model_fields.items()
        ],
    }


def _setting(name: str, value: Any, usual: Any, description: str) -> Json:
    shown = ("set" if value is not None else None) if name in SECRET_FIELDS else _shown(value)
    return {
        "name": name,
        "value": shown,
        "usual": value == usual,
        "session": name in SESSION_FIELDS,
        "description": description,
    }


def _shown(value: Any) -> Json:
    if isinstance(value, tuple):
        return ", ".join(str(getattr(each, "value", each)) for each in cast(tuple[Any, ...], value)) or None
    return value if isinstance(value, str | int | float | bool) else None
