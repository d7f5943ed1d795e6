"""With agent-browser: a look lists what can be used; one field a call; deeds tell nothing of the page they led to."""

import re
from typing import Final

from bench.errands import COMPARE, EDIT, FILTER, LOG_IN, PASSWORD, UPLOAD, USER, Errand, Script, new_name
from bench.servers import AgentBrowser
from bench.session import Session

_ref = AgentBrowser().ref
AGAIN: Final = 3


def log_in(session: Session, errand: Errand) -> str:
    session.call("agent_browser_open", url=f"{errand.admin}/")
    page = session.call("agent_browser_snapshot")
    _fill(session, _ref(page, "textbox", "Username"), USER)
    _fill(session, _ref(page, "textbox", "Password"), PASSWORD)
    _click(session, _ref(page, "button", "Log in"))
    return session.call("agent_browser_get_title")


def filter_list(session: Session, errand: Errand) -> str:
    session.call("agent_browser_open", url=f"{errand.admin}/auth/user/")
    page = session.call("agent_browser_snapshot")
    _fill(session, _ref(page, "textbox", "Search"), errand.user)
    session.call("agent_browser_press", key="Enter")
    answer = session.call("agent_browser_read")
    for _ in range(AGAIN):
        # the key is answered before the page it sends for is there
        if f"{errand.user}@" in answer:
            break
        answer = session.call("agent_browser_read")
    return answer


def edit(session: Session, errand: Errand) -> str:
    session.call("agent_browser_open", url=errand.user_url)
    page = session.call("agent_browser_snapshot")
    _fill(session, _ref(page, "textbox", "Last name"), new_name(errand))
    session.call("agent_browser_check", selector=_ref(page, "checkbox", "Staff status"))
    _click(session, _ref(page, "button", "Save"))
    return session.call("agent_browser_get_title")


def upload(session: Session, errand: Errand) -> str:
    session.call("agent_browser_open", url=f"{errand.shop}/upload")
    page = session.call("agent_browser_snapshot")
    _fill(session, _ref(page, "textbox", "Title"), errand.user)
    session.call("agent_browser_upload", selector=_ref(page, "button", "File"), files=[str(errand.file)])
    _click(session, _ref(page, "button", "Hand in"))
    return session.call("agent_browser_get_title")


def compare(session: Session, errand: Errand) -> str:
    pages: list[str] = []
    for label, url in zip(("first", "second"), errand.products, strict=True):
        session.call("agent_browser_tab_new", url=url, label=f"{label}{errand.number}")
        pages.append(session.call("agent_browser_snapshot", interactive=False))
    prices = [float(price) for page in pages for price in re.findall(r"Price: ([\d.]+)", page)[:1]]
    cheaper = prices.index(min(prices))
    if cheaper == 0:
        session.call("agent_browser_tab_switch", tab=f"first{errand.number}")
        pages[0] = session.call("agent_browser_snapshot")
    _click(session, _ref(pages[cheaper], "button", "Add to cart"))
    return session.call("agent_browser_get_title")


def _fill(session: Session, ref: str, value: str) -> None:
    session.call("agent_browser_fill", selector=ref, text=value)


def _click(session: Session, ref: str) -> None:
    session.call("agent_browser_click", selector=ref)


SCRIPTS: Final[dict[str, Script]] = {
    LOG_IN: log_in,
    FILTER: filter_list,
    EDIT: edit,
    UPLOAD: upload,
    COMPARE: compare,
}
