"""The words people use for kinds of controls, and what a control says by its kind.

Pure data.
"""

from collections.abc import Mapping
from typing import Final

from tabwright.browser.finding.spelling import plain

FIELDS: Final = {
    "textbox": 1.0, "searchbox": 1.0, "combobox": 0.9, "spinbutton": 0.95, "date": 0.9, "time": 0.9, "datetime": 0.9,
    "month": 0.9, "week": 0.9, "color": 0.8, "file": 0.7, "slider": 0.6, "listbox": 0.7, "checkbox": 0.35,
}  # fmt: skip
_BUTTON: Final = {
    "button": 1.0, "menuitem": 0.85, "switch": 0.8, "tab": 0.7, "generic": 0.8, "img": 0.7, "link": 0.7, "label": 0.5,
    "checkbox": 0.4, "radio": 0.4, "cell": 0.5, "listitem": 0.6, "option": 0.5, "treeitem": 0.5, "gridcell": 0.5,
}  # fmt: skip
_LINK: Final = {"link": 1.0, "button": 0.5, "generic": 0.6, "menuitem": 0.7, "tab": 0.6, "treeitem": 0.6}
_CHOICE: Final = {"combobox": 1.0, "listbox": 1.0, "button": 0.75, "menu": 0.8, "generic": 0.55, "link": 0.4}
_BOX: Final = {"checkbox": 1.0, "switch": 0.85, "menuitemcheckbox": 0.9, "button": 0.3, "generic": 0.4, "label": 0.4}
_SWITCH: Final = {"switch": 1.0, "checkbox": 0.95, "button": 0.75, "menuitemcheckbox": 0.8, "generic": 0.5}
_RADIO: Final = {"radio": 1.0, "menuitemradio": 0.9, "option": 0.6, "checkbox": 0.4, "label": 0.4, "tab": 0.4}
_SIGN: Final = {"button": 1.0, "link": 0.95, "img": 1.0, "generic": 0.95, "menuitem": 0.9, "tab": 0.8, "cell": 0.7}
_DATE: Final = {"date": 1.0, "datetime": 1.0, "month": 1.0, "week": 1.0, "time": 0.9, "textbox": 0.8, "combobox": 0.7}

ROLES: Final[Mapping[str, Mapping[str, float]]] = {
    "button": _BUTTON,
    "btn": _BUTTON,
    "pushbutton": _BUTTON,
    "link": _LINK,
    "hyperlink": {"link": 1.0, "button": 0.4, "generic": 0.5},
    "field": FIELDS,
    "input": FIELDS,
    "textbox": FIELDS,
    "textfield": FIELDS,
    "textarea": FIELDS,
    "box": {**FIELDS, "checkbox": 0.8},
    "bar": {**FIELDS, "slider": 0.8, "button": 0.5, "generic": 0.6},
    "editor": {"textbox": 1.0, "generic": 0.6},
    "searchbox": FIELDS,
    "dropdown": _CHOICE,
    "combobox": _CHOICE,
    "selector": _CHOICE,
    "picker": {**_CHOICE, **_DATE, "color": 1.0, "file": 0.9, "button": 0.7},
    "chooser": {**_CHOICE, "file": 1.0, "color": 1.0},
    "listbox": _CHOICE,
    "checkbox": _BOX,
    "tickbox": _BOX,
    "checkmark": _BOX,
    "tick": _BOX,
    "toggle": _SWITCH,
    "switch": _SWITCH,
    "radio": _RADIO,
    "radiobutton": _RADIO,
    "tab": {"tab": 1.0, "link": 0.75, "button": 0.65, "generic": 0.6, "treeitem": 0.4},
    "icon": _SIGN,
    "sign": _SIGN,
    "symbol": _SIGN,
    "logo": {"link": 1.0, "img": 1.0, "button": 0.7, "generic": 0.7},
    "image": {"img": 1.0, "link": 0.85, "button": 0.8, "generic": 0.7, "canvas": 0.8},
    "picture": {"img": 1.0, "link": 0.85, "button": 0.8, "generic": 0.7},
    "thumbnail": {"img": 1.0, "link": 0.95, "button": 0.8, "generic": 0.7},
    "slider": {"slider": 1.0, "spinbutton": 0.5, "progressbar": 0.6, "generic": 0.4},
    "datepicker": _DATE,
    "spinbox": {"spinbutton": 1.0, "textbox": 0.6},
    "menuitem": {"menuitem": 1.0, "link": 0.8, "button": 0.8, "menuitemcheckbox": 0.9, "option": 0.7, "generic": 0.6},
    "frame": {"iframe": 1.0},
    "iframe": {"iframe": 1.0},
    "canvas": {"canvas": 1.0, "img": 0.6},
    "video": {"video": 1.0, "iframe": 0.6, "link": 0.5, "button": 0.4},
    "player": {"video": 1.0, "audio": 1.0, "iframe": 0.6, "button": 0.4},
    **dict.fromkeys(
        plain("knopf schaltfläche bouton botón pulsante botão knop ボタン 按钮 按鈕 버튼").split(), _BUTTON
    ),
    **dict.fromkeys(plain("feld eingabefeld champ campo veld 欄 入力 输入 ボックス 입력").split(), FIELDS),
    **dict.fromkeys(plain("kästchen kontrollkästchen casilla casella チェックボックス").split(), _BOX),
    **dict.fromkeys(plain("lien enlace collegamento リンク 链接 링크").split(), _LINK),
    "heading": {"heading": 1.0, "link": 0.4, "button": 0.4},
    "headline": {"heading": 1.0, "link": 0.8},
}
"""How well each role fits a word for a control. A role that is not listed hardly fits."""

_FILTER: Final = {
    **_BOX,
    "checkbox": 1.0,
    "switch": 1.0,
    "radio": 0.9,
    "combobox": 0.85,
    "button": 0.8,
    "link": 0.8,
    "tab": 0.9,
    "option": 0.8,
    "menuitem": 0.8,
    "treeitem": 0.8,
    "generic": 0.7,
}
WANTS: Final[Mapping[str, Mapping[str, float]]] = {
    "type": FIELDS, "fill": FIELDS, "write": FIELDS, "where": {**FIELDS, "button": 0.8, "link": 0.8, "combobox": 1.0},
    "only": _FILTER, "just": _FILTER,
    "read": {**dict.fromkeys(FIELDS, 0.6), **dict.fromkeys(("link", "tab", "button", "heading", "generic"), 1.0)},
    "open": {
        **dict.fromkeys(("link", "tab", "treeitem"), 1.0), "heading": 0.5,
        **dict.fromkeys(("button", "row", "listitem", "option", "generic"), 0.8),
    },
    "tick": _BOX, "untick": _BOX, "check": _BOX, "uncheck": _BOX, "press": _BUTTON, "button": _BUTTON,
}  # fmt: skip
"""What is wanted by what one would do with it."""

SAID_BY_ROLE: Final[Mapping[str, tuple[str, ...]]] = {
    "searchbox": ("search",),
    "combobox": ("select",),
    "listbox": ("select",),
    "file": ("file", "upload"),
    "date": ("date",),
    "time": ("time",),
    "datetime": ("date", "time"),
    "color": ("color", "colour"),
    "slider": ("slider",),
    "video": ("video",),
    "canvas": ("canvas", "graph", "drawing"),
    "spinbutton": ("number",),
    "checkbox": ("select", "tick"),
    "columnheader": ("sort",),
}
"""Words that a role says by itself."""

SAID_BY_STATE: Final[Mapping[str, tuple[str, ...]]] = {
    "hover": ("menu", "submenu"),
    "draggable": ("drag", "draggable", "handle"),
    "droppable": ("drop", "droppable", "target", "zone", "area"),
}
"""Words for what can be done with an element besides clicking it."""
