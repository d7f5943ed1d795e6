"""A page of the extension in a tab, used with the keyboard and looked at as axe looks at it."""

import json
from pathlib import Path
from typing import Any, Final, Literal

from tabwright.edges.extension_files import extension_id
from tests.cdp import Cdp
from tests.gateway import until

AXE: Final = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
SLOW_S: Final = 20.0
KEYS: Final = {"Tab": 9, "Enter": 13, "Escape": 27, "Space": 32}
Scheme = Literal["light", "dark"]


class ExtensionPage:
    """One of them: made anew, or one that opened by itself."""

    def __init__(self, cdp: Cdp, name: str, *, opened: bool = False) -> None:
        self._cdp = cdp
        if not opened:
            cdp.send("Target.createTarget", url=f"chrome-extension://{extension_id()}/ui/{name}")
        target = until(lambda: cdp.targets("page", f"ui/{name.partition('#')[0]}"), SLOW_S)[0]
        self._target = target["targetId"]
        self._session = cdp.attach(target)
        until(lambda: self.run("document.readyState") == "complete")

    def run(self, expression: str) -> Any:
        return self._cdp.evaluate(self._session, expression)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self._cdp.send(method, self._session, **params)

    def close(self) -> None:
        self._cdp.send("Target.closeTarget", targetId=self._target)

    @property
    def text(self) -> str:
        return self.run("document.body?.innerText ?? ''")

    def shows(self, *words: str) -> None:
        """Wait until it says all this."""
        try:
            until(lambda: all(word in self.text for word in words), SLOW_S)
        except AssertionError:
            raise AssertionError(f"not {words} in: {self.text}") from None

    def lacks(self, *words: str) -> None:
        until(lambda: not any(word in self.text for word in words), SLOW_S)

    # --- the keyboard alone

    def key(self, name: str) -> None:
        text = {"Enter": "\r", "Space": " "}.get(name)
        about = {"key": " " if name == "Space" else name, "code": name, "windowsVirtualKeyCode": KEYS[name]}
        self.send("Input.dispatchKeyEvent", type="keyDown", **about, **({} if text is None else {"text": text}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def write(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    @property
    def focused(self) -> str:
        """The name of what has the focus, as a screen reader says it: its label, its field's label, or its words."""
        return self.run(
            "(() => { const it = document.activeElement; return (it.ariaLabel || it.labels?.[0]?.innerText"
            " || it.innerText || it.tagName).trim().replace(/\\s+/g, ' '); })()"
        )

    def tab_to(self, name: str, most: int = 40) -> None:
        """Press Tab until what is so called has the focus, and see that one sees it."""
        self._cdp.send("Target.activateTarget", targetId=self._target)
        met: list[str] = []
        for _ in range(most):
            self.key("Tab")
            met.append(self.focused)
            if name in met[-1]:
                style = "getComputedStyle(document.activeElement)"
                assert self.run(f"{style}.outlineStyle") != "none", f"{name} shows no focus"
                return
        raise AssertionError(f"no {name} among {met}")

    # --- looks

    def look(self, scheme: Scheme, width: int, height: int = 800) -> None:
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self) -> str:
        """PNG in base64. Of a tab in the background none is ever made."""
        self._cdp.send("Target.activateTarget", targetId=self._target)
        return self.send("Page.captureScreenshot", format="png")["data"]

    def check(self, narrow: int = 320, wide: int = 800) -> None:
        """Nothing that axe finds wrong, light and narrow, dark and wide; and at no width anything that sticks out."""
        for width in range(narrow, wide + 1, 160):
            self.look("light", width)
            beyond = self.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert beyond <= 0, f"{beyond} px too wide at {width}"
        looks: tuple[tuple[Scheme, int], ...] = (("light", narrow), ("dark", wide))
        for scheme, width in looks:
            self.look(scheme, width)
            assert self._violations() == [], f"{scheme} at {width}"
        self.send("Emulation.clearDeviceMetricsOverride")

    def _violations(self) -> list[str]:
        assert AXE.exists(), "axe-core is missing: run `npm ci`"
        if not self.run("'axe' in globalThis"):
            self.run(f"{AXE.read_text()};0")
        found = json.loads(self.run("axe.run().then(({ violations }) => JSON.stringify(violations))"))
        return [f"{each['id']}: {node['html']}\n{node['failureSummary']}" for each in found for node in each["nodes"]]
