"""What no answer may hold: values of cookies, passwords, keys and tokens, wherever a request, a console's line or a
script carries them.

Masked by the name they go under, because a value by itself does not say what it is; and by shape, where a credential
has one of its own.
"""

import re
from collections.abc import Mapping
from typing import Final

MASK: Final = "[masked]"

_HEADERS: Final = re.compile(
    r"^(?:cookie2?|set-cookie2?|(?:proxy-)?authorization|.*(?:token|secret|api-?key|session|passw|credential|csrf|xsrf).*"
    r"|x-amz-signature|x-auth.*)$",
    re.I,
)
# bounded, or a long word without an end would be looked at once from each of its letters
_AROUND: Final = r"[\w.\[\]-]{0,40}"
_NAME: Final = (
    rf"{_AROUND}(?:passw(?:or)?d|passwd|passphrase|passcode|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"
    rf"credential|session[_-]?id|sessid|csrf|xsrf|signature|client[_-]?assertion){_AROUND}|"
    r"pwd|pass|pin|otp|cvc|cvv|sid|jwt|authorization"
)
_IN_ADDRESS: Final = rf"{_NAME}|code|key|auth|sig"
_STRING: Final = r'"(?:[^"\\]|\\.)*"?|\'(?:[^\'\\]|\\.)*\'?|`(?:[^`\\]|\\.)*`?'
_QUERY: Final = re.compile(rf"([?&;#])({_IN_ADDRESS})=([^&#;\s\"'<>]+)", re.I)
_FIELD: Final = re.compile(rf"(&|^)({_NAME})=([^&\s]+)", re.I)
_MEMBER: Final = re.compile(rf"""((?:["']|\b)(?:{_NAME})["']?\s*[:=]\s*)({_STRING})""", re.I)
_NUMBER: Final = re.compile(r"""(["'](?:pin|otp|cvc|cvv|passcode)["']\s*:\s*)\d+""", re.I)
_PART: Final = re.compile(rf'(name="(?:{_NAME})"\r?\n(?:[^\r\n]+\r?\n)*\r?\n)([^\r\n]*)', re.I)
_INPUT: Final = re.compile(rf"(<input\b[^<>]{{0,500}}\bvalue\s*=\s*)({_STRING}|[^\s<>]+)", re.I)
_SECRET_INPUT: Final = re.compile(rf"""type\s*=\s*["']?password|name\s*=\s*["']?(?:{_NAME})\b""", re.I)
_INPUT_TAG: Final = re.compile(r"<input\b[^<>]{1,2000}>?", re.I)
_COOKIE: Final = re.compile(rf"(\bcookie\s*=\s*)({_STRING})", re.I)
_PLAIN: Final = r"(?:null|undefined|true|false|NaN|\d+(?:\.\d+)?)(?![\w.])"
_KEPT: Final = rf"(?!{_PLAIN}|\[masked\]|\"\[masked\])"
# a console writes objects without quotes: {user: ann, password: two words}
_ENTRY: Final = re.compile(
    rf"([{{,]\s?(?:{_NAME})\s?:\s?+){_KEPT}([^\n]{{1,600}}?)(?=,\s[\w$.-]{{1,60}}:|[}}\]]|$)", re.I | re.M
)
_BARE: Final = re.compile(rf"((?<![\w.\[\]-])(?:{_NAME})\s?[:=]\s?+){_KEPT}(?!//)([^\s,;&}}\])\"'`<>]+)", re.I)
_DIGITS: Final = re.compile(
    rf"((?<![\w.-])(?:{_AROUND}passw(?:or)?d|pwd|pass|pin|otp|cvc|cvv|passcode)\s?[:=]\s?+)\d+", re.I
)
_AFTER: Final = re.compile(
    rf"((?<![\w.\[\]-])(?:{_NAME})\s+)(?=[^\s\d]{{0,80}}\d)(?=[^\sa-z]{{0,80}}[a-z])([\w~+=.!@#$%^&*-]{{8,}})(?!\S)",
    re.I,
)
_HEADER_LINE: Final = re.compile(
    r"((?<![\w-])(?:set-cookie2?|cookie2?|(?:proxy-)?authorization|x-api-key|x-auth-token)\s?:\s?+)(?!\[masked\])([^\n}]+)",
    re.I,
)
_GIVEN: Final = re.compile(rf"(([\"'`])(?:{_NAME})\2\s*,\s*)({_STRING})", re.I)
_WRITTEN: Final = re.compile(
    rf"(\.(?:value|textContent|innerText)\s*=\s*|['\"]value['\"]\s*,\s*|insertText\W+(?:\w+\W+)?,\s*)({_STRING})", re.I
)
_SECRET_WORD: Final = re.compile(rf"(?<![a-z])(?:{_NAME}|pw)(?![a-z])", re.I)
_USERINFO: Final = re.compile(r"(\w{1,20}://)[^/\s@]{1,200}@")
_SHAPES: Final = re.compile(
    r"\b(?:(?:Bearer|Basic)\s+[\w.~+/=-]{8,}"  # credentials of a header, quoted somewhere
    r"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"  # JSON web tokens
    r"|(?:sk|pk|rk)[-_](?:live|test|ant|proj)[-_][\w-]{10,}|gh[opsur]_\w{20,}|xox[abpors]-[\w-]{10,}|AKIA[A-Z0-9]{16})"
)


def mask_url(url: str) -> str:
    """An address without the secrets in its query, fragment and user part."""
    return mask_text(_QUERY.sub(rf"\1\2={MASK}", _USERINFO.sub(rf"\1{MASK}@", url)))


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with the values of the secret ones masked, and addresses in the others."""
    return {name: MASK if _HEADERS.match(name) else mask_url(value) for name, value in headers.items()}


def mask_body(body: str) -> str:
    """A body (JSON, form, parts, a page or its script) with the values of secret fields masked."""
    masked = _PART.sub(rf"\1{MASK}", body)
    masked = _NUMBER.sub(rf'\1"{MASK}"', _MEMBER.sub(rf'\1"{MASK}"', _COOKIE.sub(rf'\1"{MASK}"', masked)))
    masked = _INPUT_TAG.sub(_mask_input, masked)
    if "\n" not in masked.strip() and "=" in masked:
        masked = _FIELD.sub(rf"\1\2={MASK}", masked)
    return mask_url(masked)


def mask_log(line: str) -> str:
    """What a page wrote to its console; values stand there without quotes."""
    masked = _HEADER_LINE.sub(rf"\1{MASK}", _ENTRY.sub(rf"\1{MASK}", mask_body(line)))
    masked = _DIGITS.sub(rf"\1{MASK}", _BARE.sub(rf"\1{MASK}", masked))
    return _AFTER.sub(rf"\1{MASK}", masked)


def mask_script(script: str) -> str:
    """A script with the values it gives to secret names, or writes into fields where it speaks of secrets, masked."""
    masked = _GIVEN.sub(rf'\1"{MASK}"', mask_body(script))
    return _WRITTEN.sub(rf'\1"{MASK}"', masked) if _SECRET_WORD.search(script) else masked


def mask_text(text: str) -> str:
    """Any text without what is plainly a credential."""
    return _SHAPES.sub(MASK, text)


def _mask_input(tag: re.Match[str]) -> str:
    return _INPUT.sub(rf'\1"{MASK}"', tag[0]) if _SECRET_INPUT.search(tag[0]) else tag[0]
