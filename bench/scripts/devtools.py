"""With chrome-devtools-mcp: a look is a snapshot; forms are filled at once; a deed may answer with the next look."""

import re
from typing import Final

from bench.errands import COMPARE, EDIT, FILTER, LOG_IN, PASSWORD, UPLOAD, USER, Errand, Script, new_name
from bench.servers import DevTools
from bench.session import Session

_ref = DevTools().ref


def log_in(session: Session, errand: Errand) -> str:
    number = _number(session.call("new_page", url=f"{errand.admin}/"))
    page = session.call("take_snapshot", pageId=number)
    fields = [
        {"uid": _ref(page, "textbox", "Username"), "value": USER},
        {"uid": _ref(page, "textbox", "Password"), "value": PASSWORD},
    ]
    session.call("fill_form", pageId=number, elements=fields)
    return session.call("click", pageId=number, uid=_ref(page, "button", "Log in"))


def filter_list(session: Session, errand: Errand) -> str:
    number = _number(session.call("new_page", url=f"{errand.admin}/auth/user/"))
    page = session.call("take_snapshot", pageId=number)
    session.call("fill", pageId=number, uid=_ref(page, "textbox", "Search"), value=errand.user)
    return session.call("press_key", pageId=number, key="Enter", includeSnapshot=True)


def edit(session: Session, errand: Errand) -> str:
    number = _number(session.call("new_page", url=errand.user_url))
    page = session.call("take_snapshot", pageId=number)
    fields = [
        {"uid": _ref(page, "textbox", "Last name"), "value": new_name(errand)},
        {"uid": _ref(page, "checkbox", "Staff status"), "value": "true"},
    ]
    session.call("fill_form", pageId=number, elements=fields)
    return session.call("click", pageId=number, uid=_ref(page, "button", 'Save"'))


def upload(session: Session, errand: Errand) -> str:
    number = _number(session.call("new_page", url=f"{errand.shop}/upload"))
    page = session.call("take_snapshot", pageId=number)
    session.call("fill", pageId=number, uid=_ref(page, "textbox", "Title"), value=errand.user)
    session.call("upload_file", pageId=number, uid=_ref(page, "button", "File"), filePaths=[str(errand.file)])
    return session.call("click", pageId=number, uid=_ref(page, "button", "Hand in"))


def compare(session: Session, errand: Errand) -> str:
    numbers = [_number(session.call("new_page", url=url)) for url in errand.products]
    pages = [session.call("take_snapshot", pageId=number) for number in numbers]
    prices = [float(price) for page in pages for price in re.findall(r"Price: ([\d.]+)", page)[:1]]
    cheaper = prices.index(min(prices))
    return session.call("click", pageId=numbers[cheaper], uid=_ref(pages[cheaper], "button", "Add to cart"))


def _number(opened: str) -> int:
    """Of the page that is selected."""
    return int(re.findall(r"^(\d+): .*\[selected\]", opened, re.MULTILINE)[-1])


SCRIPTS: Final[dict[str, Script]] = {
    LOG_IN: log_in,
    FILTER: filter_list,
    EDIT: edit,
    UPLOAD: upload,
    COMPARE: compare,
}
