"""The browser's own idea of a page, its accessibility tree, held against what the page agent numbers."""

import json
from typing import Any, Final

from tests.cdp import Cdp
from tests.gateway import until

INTERACTIVE: Final = frozenset(
    {"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "slider", "spinbutton"}
    | {"switch", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "treeitem", "DisclosureTriangle"}
    | {"popUpButton", "toggleButton", "Date", "DateTime", "InputTime", "ColorWell", "TextField"}
)
# a region takes the focus so that keys scroll it
NOT_CONTROLS: Final = frozenset({"RootWebArea", "WebArea", "Iframe", "IframePresentational", "region"})
AGENT: Final = "globalThis[Symbol.for('tabwright.agent')]"
CHECK: Final = """function () {
  const agent = globalThis[Symbol.for('tabwright.agent')];
  const element = this instanceof Element ? this : this.parentElement;
  const { width, height, right, bottom } = element.getBoundingClientRect();
  // above and left of the page nobody can scroll; by keys nobody comes to what only scripts focus
  const inPage = width > 1 && height > 1 && bottom + scrollY > 0 && right + scrollX > 0;
  const isTabStop = element.tabIndex >= 0 || element.matches('a[href],button,input,select,textarea,[role]');
  // the arrows and parts that the browser draws into fields and players are theirs
  let isCut = element.closest('[pseudo]') !== null;
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
    isCut ||= getComputedStyle(at).overflow !== 'visible' && (at.clientHeight < 1 || at.clientWidth < 1);
  }
  const shown = element.checkVisibility({ checkVisibilityCSS: true }) && inPage && isTabStop && !isCut
    // transparent, it can be used only where it lies over what shows
    && (element.checkVisibility({ checkOpacity: true }) || element.matches('.over'));
  return [shown, agent.get('refs').numberOf(element), element.outerHTML.slice(0, 120)];
}"""


class Inspector(Cdp):
    """A connection that also keeps the worlds it is told of."""

    worlds: tuple[dict[str, Any], ...] = ()

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        sent = next(self._ids)
        message = {"id": sent, "method": method, "params": params, **({"sessionId": session} if session else {})}
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv(timeout=10))
            if answer.get("method") == "Runtime.executionContextCreated":
                self.worlds += (answer["params"]["context"],)
            if answer.get("id") == sent:
                assert "error" not in answer, f"{method}: {answer}"
                return answer["result"]


def without_ref(cdp: Inspector, containing: str) -> tuple[int, list[str]]:
    """How many interactive elements of a page the browser sees, in its frames of the same site too, and those of them
    that the agents do not list."""
    session = cdp.attach(until(lambda: cdp.targets("page", containing))[0])
    cdp.send("Runtime.enable", session)
    until(lambda: any(_has_agent(cdp, session, each["id"]) for each in cdp.worlds))
    worlds = [each for each in cdp.worlds if _value(cdp, session, each["id"], f"{AGENT} !== undefined") is True]
    told = [_in_frame(cdp, session, each["id"], each["auxData"]["frameId"]) for each in worlds]
    cdp.send("Target.detachFromTarget", sessionId=session)
    return sum(found for found, _ in told), [each for _, missing in told for each in missing]


def _in_frame(cdp: Inspector, session: str, world: int, frame: str) -> tuple[int, list[str]]:
    listed = _value(
        cdp, session, world, f"{AGENT}.service('snapshot')({{}}).nodes.filter((n) => n[4]).map((n) => n[5])"
    )
    missing: list[str] = []
    found = 0
    for node in cdp.send("Accessibility.getFullAXTree", session, frameId=frame)["nodes"]:
        if node.get("ignored") or not _is_interactive(node) or "backendDOMNodeId" not in node:
            continue
        shown, number, html = _checked(cdp, session, world, node["backendDOMNodeId"])
        found += shown
        if shown and number not in listed:
            missing.append(f"{node['role']['value']}: {html}")
    return found, missing


def _has_agent(cdp: Inspector, session: str, world: int) -> bool:
    return _value(cdp, session, world, f"{AGENT} !== undefined && window === top") is True


def _value(cdp: Inspector, session: str, world: int, expression: str) -> Any:
    told = cdp.send("Runtime.evaluate", session, expression=expression, contextId=world, returnByValue=True)
    return told["result"].get("value")


def _is_interactive(node: dict[str, Any]) -> bool:
    role = node["role"]["value"]
    focusable = any(each["name"] == "focusable" and each["value"]["value"] for each in node.get("properties", []))
    return role in INTERACTIVE or (focusable and role not in NOT_CONTROLS)


def _checked(cdp: Inspector, session: str, world: int, node: int) -> tuple[bool, int, str]:
    found = cdp.send("DOM.resolveNode", session, backendNodeId=node, executionContextId=world)["object"]["objectId"]
    told = cdp.send("Runtime.callFunctionOn", session, functionDeclaration=CHECK, objectId=found, returnByValue=True)
    shown, number, html = told["result"]["value"]
    return shown, number, html
