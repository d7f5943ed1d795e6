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
    "tabwright keeps its state in one folder that only you may own. If a symbolic link, a file or somebody else's "
    "folder is in its place, that is an attack or a mistake, and the gateway does not start. Nor does it where that "
    "folder cannot be made, as for an account whose own home folder is missing or cannot be written to.",
    "Remove what is there, or set TABWRIGHT_HOME to a folder of your own.",
)
HOME_OPEN: Final = Trouble(
    "home-open",
    "Others can read the home folder",
    "The folder holds the token and the keys of paired browsers. Whoever reads them can drive your browser.",
    "Run `chmod -R go= ~/.local/share/tabwright` (or your TABWRIGHT_HOME). If others use this machine, also delete "
    "the file `token` in it and pair again.",
)
SETTINGS_WRONG: Final = Trouble(
    "settings-wrong",
    "A setting is wrong",
    "A key in settings.toml is unknown, or its value or that of a TABWRIGHT_ variable is not valid. The gateway does "
    "not start until it is corrected.",
    "Correct the file or the variable; `tabwright serve --help` explains every setting.",
)
POLICY_WRONG: Final = Trouble(
    "policy-wrong",
    "policy.toml is not valid",
    "The rules about what agents may do cannot be read. A gateway does not start like this; one that is already "
    "running keeps the rules it had.",
    "Correct policy.toml; `tabwright policy check` names the place.",
)
STORE_DAMAGED: Final = Trouble(
    "store-damaged",
    "The database is damaged",
    "tabwright.db holds pairings, grants, shortcuts and the record of what agents did. The next gateway that starts "
    "sets the damaged file aside and begins with an empty one.",
    "Restore a backup if you have one. Otherwise run `tabwright stop`; the next gateway begins with an empty "
    "database, and your browser pairs again.",
)
NO_BROWSER: Final = Trouble(
    "no-browser",
    "There is no browser to launch",
    "No Chrome, Chromium, Edge or Brave was found, or the configured one does not exist. Your own browser works all "
    "the same if it has the extension.",
    "Install Chrome or Chromium, or set TABWRIGHT_BROWSER to the path of a browser.",
)
EXTENSION_MISSING: Final = Trouble(
    "extension-missing",
    "No browser of yours has the extension",
    "Without the extension, agents cannot use your own browser, only one that tabwright launches, in which you are "
    "not logged in.",
    "Run `tabwright install` and follow its steps: chrome://extensions, Developer mode, Load unpacked.",
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
    "tabwright was upgraded, but the browser still runs the old extension, so new tools may fail. A browser keeps "
    "what it has loaded until it is told to reload it.",
    "Run `tabwright install`, then press the reload arrow on tabwright's card in chrome://extensions.",
)
HOST_MISSING: Final = Trouble(
    "host-missing",
    "The browser cannot start tabwright",
    "A browser has the extension, but no native messaging host is installed for it, so the extension can neither pair "
    "by itself nor start the gateway.",
    "Run `tabwright install`, or pair by hand with `tabwright pair`.",
)
HOST_BROKEN: Final = Trouble(
    "host-broken",
    "The program the browser starts does not run",
    "The native messaging host points to a program that is gone or fails: tabwright was moved, or its Python was "
    "removed.",
    "Run `tabwright install` again.",
)
GATEWAY_HUNG: Final = Trouble(
    "gateway-hung",
    "The gateway does not answer",
    "A gateway owns this home folder but is suspended, hangs, or has lost its socket. Clients wait for it in vain.",
    "Run `tabwright stop`: it ends the gateway, by force if necessary. The next client starts a new one.",
)
GATEWAY_DEAD: Final = Trouble(
    "gateway-dead",
    "The last gateway was killed",
    "Its files say that it is running, but its process is gone. The next gateway cleans up; the log may say what "
    "happened.",
    "Nothing to do: the next client starts a new one. If it happens again, look at logs/gateway.log.",
)
GATEWAY_OTHER_VERSION: Final = Trouble(
    "gateway-other-version",
    "The running gateway is another version",
    "It was started before the upgrade, or by another installation. It can serve clients of this version only if the "
    "first number of both versions is the same.",
    "Run `tabwright stop`. The next client starts this version.",
)
PORT_TAKEN: Final = Trouble(
    "port-taken",
    "A port is taken",
    "Another program listens on the gateway's port. The gateway never switches to another port silently, because "
    "clients and the extension would not find it.",
    "Stop that program, or choose another port with `port` or `extension_port` in settings.toml.",
)
NOT_PAIRED: Final = Trouble(
    "not-paired",
    "No browser is paired",
    "The extension and the gateway prove to each other who they are, with a key that they agree on once, when they "
    "are paired. Until then the extension contacts nobody.",
    "Open tabwright's popup in the browser: it pairs by itself after `tabwright install`. Or run `tabwright pair`.",
)
BROWSER_AWAY: Final = Trouble(
    "browser-away",
    "A paired browser is not connected",
    "The gateway is running and knows your browser, but the browser is closed, or its extension is switched off or "
    "disconnected.",
    "Open the browser; tabwright's popup says why it does not connect.",
)
PROXY_AWAY: Final = Trouble(
    "proxy-away",
    "The proxy cannot be used",
    "The gateway is set to use browsers through a hosted proxy, but cannot reach it or is refused.",
    "Check the address, the token, and whether the proxy is running; see docs/proxy.md.",
)
PROXY_EMPTY: Final = Trouble(
    "proxy-empty",
    "No browser is connected to the proxy",
    "The proxy accepts your token, but none of your browsers is connected to it.",
    "In the browser, open tabwright's popup, then Servers & settings, and switch the proxy on.",
)
TOKEN_WRONG: Final = Trouble(
    "token-wrong",
    "A token does not match the gateway's",
    "The gateway requires a token (`auth = token`), and a client or this shell has none or a different one: it gets "
    "HTTP 401.",
    "Give it the token that `tabwright config --token` prints. If you have set a new one, run `tabwright stop`, so "
    "that the next gateway uses it.",
)
CLIENTS_NONE: Final = Trouble(
    "clients-none",
    "No MCP client knows tabwright",
    "No MCP client that tabwright can find on this machine has it in its configuration.",
    "Run `tabwright install`, or `tabwright install --print` to do it by hand.",
)
CLIENT_BROKEN: Final = Trouble(
    "client-broken",
    "A client's configuration is out of date",
    "It names a program that does not exist any more, or a port on which none of your gateways listens.",
    "Run `tabwright install` again, or correct the entry.",
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
