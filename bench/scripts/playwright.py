"""With Playwright MCP: `browser_find` shows a part of a page for less than a snapshot; forms are filled at once."""

import re
from typing import Final

from bench.errands import COMPARE, EDIT, FILTER, LOG_IN, PASSWORD, UPLOAD, USER, Errand, Script, new_name
from bench.servers import Playwright
from bench.session import Session

_ref = Playwright().ref


def log_in(session: Session, errand: Errand) -> str:
    session.call("browser_navigate", url=f"{errand.admin}/")
    page = session.call("browser_snapshot")
    fields = [
        _field(_ref(page, "textbox", "Username"), "Username", "textbox", USER),
        _field(_ref(page, "textbox", "Password"), "Password", "textbox", PASSWORD),
    ]
    session.call("browser_fill_form", fields=fields)
    return session.call("browser_click", target=_ref(page, "button", "Log in"))


def filter_list(session: Session, errand: Errand) -> str:
    session.call("browser_navigate", url=f"{errand.admin}/auth/user/")
    page = session.call("browser_find", regex="/(search|text)box/")
    session.call("browser_type", target=_ref(page, "textbox", "Search"), text=errand.user, submit=True)
    return session.call("browser_find", text=errand.user)


def edit(session: Session, errand: Errand) -> str:
    session.call("browser_navigate", url=errand.user_url)
    page = session.call("browser_find", regex='/textbox "Last name|checkbox "Staff status|button "Save"/')
    fields = [
        _field(_ref(page, "textbox", "Last name"), "Last name", "textbox", new_name(errand)),
        _field(_ref(page, "checkbox", "Staff status"), "Staff status", "checkbox", "true"),
    ]
    session.call("browser_fill_form", fields=fields)
    return session.call("browser_click", target=_ref(page, "button", "Save"))


def upload(session: Session, errand: Errand) -> str:
    session.call("browser_navigate", url=f"{errand.shop}/upload")
    page = session.call("browser_snapshot")
    session.call("browser_type", target=_ref(page, "textbox", "Title"), text=errand.user)
    session.call("browser_click", target=_ref(page, "button", "File"))
    session.call("browser_file_upload", paths=[str(errand.file)])
    return session.call("browser_click", target=_ref(page, "button", "Hand in"))


def compare(session: Session, errand: Errand) -> str:
    opened: list[str] = []
    pages: list[str] = []
    for url in errand.products:
        opened.append(session.call("browser_tabs", action="new", url=url))
        pages.append(session.call("browser_find", regex="/Price:|Add to cart/"))
    prices = [float(price) for page in pages for price in re.findall(r"Price: ([\d.]+)", page)[:1]]
    cheaper = prices.index(min(prices))
    if cheaper == 0:
        [index] = re.findall(r"- (\d+): \(current\)", opened[0].partition("### Ran")[0])
        session.call("browser_tabs", action="select", index=int(index))
    return session.call("browser_click", target=_ref(pages[cheaper], "button", "Add to cart"))


def _field(ref: str, name: str, kind: str, value: str) -> dict[str, str]:
    return {"target": ref, "name": name, "type": kind, "value": value}


SCRIPTS: Final[dict[str, Script]] = {
    LOG_IN: log_in,
    FILTER: filter_list,
    EDIT: edit,
    UPLOAD: upload,
    COMPARE: compare,
}
