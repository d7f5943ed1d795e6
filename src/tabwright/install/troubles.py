"""All that `tabwright doctor` can find wrong: what it means, what helps. docs/troubleshooting.md is made of it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Trouble:
    """One kind of trouble. `fix` is what the person does; the doctor adds the facts of the case."""

    id: str
    title: str
    explanation: str
    fix: str


HOME_UNUSABLE: Final = Trouble(
    "home-unusable",
    "The home folder cannot be used",
    "tabwright keeps its state in one folder that belongs to you alone. A symbolic link, a file or somebody else's "
    "folder in its place is an attack or a mistake, so the gateway does not start.",
    "Remove what lies there, or set TABWRIGHT_HOME to a folder of your own.",
)
HOME_OPEN: Final = Trouble(
    "home-open",
    "Others can read the home folder",
    "The folder holds the token and the keys of paired browsers. Whoever reads them can drive your browser.",
    "Run `chmod -R go= ~/.local/share/tabwright` (or your TABWRIGHT_HOME). If others use this machine, also delete the "
    "file `token` in it and pair anew.",
)
SETTINGS_WRONG: Final = Trouble(
    "settings-wrong",
    "A setting makes no sense",
    "A key of settings.toml or a TABWRIGHT_ variable is unknown or has a value that cannot be used. The gateway does "
    "not start with it.",
    "Correct the file or the variable; `tabwright serve --help` explains every setting.",
)
POLICY_WRONG: Final = Trouble(
    "policy-wrong",
    "policy.toml cannot be understood",
    "The rules about what agents may do are broken. The gateway does not start without them; one that runs keeps those "
    "it had.",
    "Mend policy.toml; `tabwright policy show` names the place.",
)
STORE_DAMAGED: Final = Trouble(
    "store-damaged",
    "The database is damaged",
    "tabwright.db holds pairings, grants, shortcuts and the record of what agents did. The next gateway that starts "
    "sets the damaged file aside and begins with an empty one.",
    "Put a copy of yours back, or let it be: run `tabwright stop`, and your browser pairs anew.",
)
NO_BROWSER: Final = Trouble(
    "no-browser",
    "There is no browser to launch",
    "No Chrome, Chromium, Edge or Brave was found, or the configured one is not there. Your own browser works without, "
    "if it has the extension.",
    "Install Chrome or Chromium, or set TABWRIGHT_BROWSER to the path of a browser.",
)
EXTENSION_MISSING: Final = Trouble(
    "extension-missing",
    "No browser of yours has the extension",
    "Without the extension agents cannot use your own browser, only one that tabwright launches, where you are not "
    "logged in.",
    "Run `tabwright install` and do what it says: chrome://extensions, Developer mode, Load unpacked.",
)
EXTENSION_DISABLED: Final = Trouble(
    "extension-disabled",
    "The extension is switched off",
    "The browser has the extension but does not run it. Browsers do this by themselves when Developer mode is off.",
    "Open chrome://extensions, switch on Developer mode, and switch tabwright on.",
)
EXTENSION_OUTDATED: Final = Trouble(
    "extension-outdated",
    "The extension is another version",
    "tabwright was upgraded, but the browser still runs the extension of before: new tools may fail. A browser keeps "
    "what it once loaded until it is told to look again.",
    "Run `tabwright install`, then press the reload arrow on tabwright's card in chrome://extensions.",
)
HOST_MISSING: Final = Trouble(
    "host-missing",
    "The browser cannot start tabwright",
    "No native messaging host is put up for a browser that has the extension: it can neither pair by itself nor start "
    "the gateway.",
    "Run `tabwright install`, or pair by hand with `tabwright pair`.",
)
HOST_BROKEN: Final = Trouble(
    "host-broken",
    "The program the browser starts does not run",
    "The native messaging host leads to a program that is gone or fails: tabwright was moved, or its Python removed.",
    "Run `tabwright install` again.",
)
GATEWAY_HUNG: Final = Trouble(
    "gateway-hung",
    "The gateway does not answer",
    "A gateway has this home, but is stopped, hangs, or lost its socket. Clients wait for it in vain.",
    "Run `tabwright stop`: it ends the gateway, by force if need be. The next client starts a new one.",
)
GATEWAY_DEAD: Final = Trouble(
    "gateway-dead",
    "The last gateway was killed",
    "Its files say that it runs, but its process is gone. The next one clears them away; the log may tell why.",
    "Nothing is to be done: the next client starts a new one. If it happens again, look at logs/gateway.log.",
)
GATEWAY_OTHER_VERSION: Final = Trouble(
    "gateway-other-version",
    "The gateway that runs is another version",
    "It was started before the upgrade, or by another installation. It serves this version's clients only while the "
    "first number is the same.",
    "Run `tabwright stop`. The next client starts this version.",
)
PORT_TAKEN: Final = Trouble(
    "port-taken",
    "A port is taken",
    "Another program listens where the gateway would. It never takes another port in silence, as clients and the "
    "extension look for it there.",
    "Stop that program, or choose another port with `port` or `extension_port` in settings.toml.",
)
NOT_PAIRED: Final = Trouble(
    "not-paired",
    "No browser is paired",
    "The extension and the gateway prove to each other who they are with a key that they agree on once. Until then the "
    "extension contacts nobody.",
    "Open tabwright's popup in the browser: it pairs by itself after `tabwright install`. Or run `tabwright pair`.",
)
BROWSER_AWAY: Final = Trouble(
    "browser-away",
    "A paired browser is not linked",
    "The gateway runs and knows a browser of yours, but that browser is closed, or its extension is switched off or "
    "disconnected.",
    "Open the browser; tabwright's popup tells why it does not connect.",
)
PROXY_AWAY: Final = Trouble(
    "proxy-away",
    "The proxy cannot be used",
    "The gateway is to use browsers through a hosted proxy, but cannot reach it or is refused.",
    "See docs/proxy.md: the address, the token, and whether the proxy runs.",
)
PROXY_EMPTY: Final = Trouble(
    "proxy-empty",
    "No browser is connected to the proxy",
    "The proxy knows you, but none of your browsers is there.",
    "In the browser: tabwright's popup, Servers & settings, switch the proxy on.",
)
TOKEN_WRONG: Final = Trouble(
    "token-wrong",
    "A token is not the gateway's",
    "The gateway asks for a token (`auth = token`), and a client or this shell has none or another one: it gets "
    "HTTP 401.",
    "Give it the token of `tabwright config --token`. If you set a new one, run `tabwright stop`, so that the next "
    "gateway takes it.",
)
CLIENTS_NONE: Final = Trouble(
    "clients-none",
    "No MCP client knows tabwright",
    "No client on this machine has tabwright in its configuration, as far as its place is known.",
    "Run `tabwright install`, or `tabwright install --print` to do it by hand.",
)
CLIENT_BROKEN: Final = Trouble(
    "client-broken",
    "A client is told to start what is not there",
    "A client's configuration names a program that is gone, or a port where no gateway of yours listens.",
    "Run `tabwright install` again, or mend the entry.",
)

TROUBLES: Final = (
    HOME_UNUSABLE,
    HOME_OPEN,
    SETTINGS_WRONG,
    POLICY_WRONG,
    STORE_DAMAGED,
    NO_BROWSER,
    GATEWAY_HUNG,
    GATEWAY_DEAD,
    GATEWAY_OTHER_VERSION,
    PORT_TAKEN,
    EXTENSION_MISSING,
    EXTENSION_DISABLED,
    EXTENSION_OUTDATED,
    HOST_MISSING,
    HOST_BROKEN,
    NOT_PAIRED,
    BROWSER_AWAY,
    PROXY_AWAY,
    PROXY_EMPTY,
    TOKEN_WRONG,
    CLIENTS_NONE,
    CLIENT_BROKEN,
)
"""In the order in which the doctor looks for them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found: all well, or a trouble and the facts of the case. A note needs no fixing to go on."""

    what: str
    trouble: Trouble | None = None
    note: bool = False

    @property
    def level(self) -> str:
        return "ok" if self.trouble is None else "note" if self.note else "fix"
