"""With tabwright: looks and deeds that belong together go in one batch."""

import re
from typing import Any, Final

from bench.errands import COMPARE, EDIT, FILTER, LOG_IN, PASSWORD, UPLOAD, USER, Errand, Script, new_name
from bench.servers import found
from bench.session import Session

Step = dict[str, Any]


def log_in(session: Session, errand: Errand) -> str:
    page = _batch(session, _step("navigate", url=f"{errand.admin}/"), _step("read_page"))
    return _batch(
        session,
        _step("form_input", ref=_ref(page, "textbox", "Username"), value=USER),
        _step("form_input", ref=_ref(page, "textbox", "Password"), value=PASSWORD),
        _click(_ref(page, "button", "Log in")),
    )


def filter_list(session: Session, errand: Errand) -> str:
    page = _batch(session, _step("navigate", url=f"{errand.admin}/auth/user/"), _find("search box"))
    field = found(r'(e\d+) textbox "Search"', page)
    return _batch(
        session,
        _step("form_input", ref=field, value=errand.user),
        _step("computer", action="key", text="Enter"),
        _step("get_page_text"),
    )


def edit(session: Session, errand: Errand) -> str:
    looks = (_find("last name field"), _find("staff status"), _find("save button"))
    page = _batch(session, _step("navigate", url=errand.user_url), *looks)
    return _batch(
        session,
        _step("form_input", ref=found(r'(e\d+) textbox "Last name"', page), value=new_name(errand)),
        _step("form_input", ref=found(r'(e\d+) checkbox "Staff status"', page), value=True),
        _click(found(r'(e\d+) button "Save"', page)),
    )


def upload(session: Session, errand: Errand) -> str:
    page = _batch(session, _step("navigate", url=f"{errand.shop}/upload"), _step("read_page"))
    return _batch(
        session,
        _step("form_input", ref=_ref(page, "textbox", "Title"), value=errand.user),
        _step("file_upload", ref=_ref(page, "file", "File"), paths=[str(errand.file)]),
        _click(_ref(page, "button", "Hand in")),
    )


def compare(session: Session, errand: Errand) -> str:
    looks = [
        step
        for url in errand.products
        for step in (_step("tabs_create_mcp", url=url), _step("read_page", filter="all"))
    ]
    pages = _batch(session, *looks)
    prices = [float(price) for price in re.findall(r"Price: ([\d.]+)", pages)]
    tabs = [int(tab) for tab in re.findall(r"Opened tab (\d+)", pages)]
    refs = re.findall(r'button "Add to cart" (e\d+)', pages)
    cheaper = prices.index(min(prices))
    return session.call("computer", action="left_click", ref=refs[cheaper], tabId=tabs[cheaper])


def _batch(session: Session, *steps: Step) -> str:
    return session.call("browser_batch", steps=list(steps))


def _step(tool: str, /, **arguments: Any) -> Step:
    return {"tool": tool, "arguments": arguments} if arguments else {"tool": tool}


def _find(query: str) -> Step:
    return _step("find", query=query, limit=1)


def _click(ref: str) -> Step:
    return _step("computer", action="left_click", ref=ref)


def _ref(outline: str, role: str, name: str) -> str:
    return found(rf'{role} "{name}[^"]*" (e\d+)', outline)


SCRIPTS: Final[dict[str, Script]] = {
    LOG_IN: log_in,
    FILTER: filter_list,
    EDIT: edit,
    UPLOAD: upload,
    COMPARE: compare,
}
