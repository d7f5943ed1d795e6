"""The words people use for what pages show: kinds of controls, actions, signs, places, states, counting.

Pure data. `finding` reads it; nothing here depends on a page.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from tabwright.browser.foreign_words import FOREIGN

_PAIRS: Final = (
    "log in", "log on", "sign in", "sign on", "log out", "log off", "sign out", "sign up", "check out",
    "set up", "e mail", "drop down", "check box", "tick box", "text box", "text area", "combo box", "list box",
    "radio button", "pop up", "user name", "zip code", "post code", "phone number", "full screen", "side bar",
    "wish list", "play list", "date picker", "color picker", "spin box", "track bar", "push button",
    "hand in", "turn in", "stand in",
    "signed in", "logged in", "first name", "last name",
    "white space", "time zone", "security code", "web site", "file name", "pass word", "photo graph",
)  # fmt: skip

PHRASES: Final[Mapping[tuple[str, str], str]] = {
    **{(pair.split()[0], pair.split()[1]): pair.replace(" ", "") for pair in _PAIRS},
    ("thumbs", "up"): "like",
    ("thumbs", "down"): "dislike",
    ("create", "account"): "register",
    ("progress", "bar"): "seek",
    ("how", "many"): "number",
    ("how", "much"): "price",
    ("non", "stop"): "nonstop",
    ("shopping", "cart"): "cart",
    ("shopping", "basket"): "basket",
    ("shopping", "bag"): "bag",
}
"""Words that mean one thing together; both spellings become one word."""

_CONCEPTS: Final = (
    "login signin signedin loggedin logon signon authenticate enter",
    "logout signout logoff exit power door",
    "signup register join enroll createaccount",
    "search find lookup query magnifier magnifying",
    "delete remove trash bin discard erase destroy garbage wastebasket dustbin",
    "remove times cross xmark",
    "chat message conversation talk comments",
    "close dismiss cross hide times xmark",
    "cancel abort dismiss",
    "add new create plus insert compose leave",
    "edit change modify pencil rename update pen",
    "save store keep apply submit update floppy disk",
    "submit send confirm ok post done go continue proceed place",
    "settings preferences options configuration configure gear cog cogwheel setup wrench sliders",
    "menu hamburger burger navigation nav kebab bars",
    "more menu overflow ellipsis dots kebab actions options",
    "cart basket bag trolley",
    "checkout pay payment purchase buy order",
    "buy purchase order",
    "favorite favourite like heart love wishlist star bookmark",
    "star favorite favourite rate",
    "account profile user avatar me person member",
    "home start house dashboard main",
    "help support question faq",
    "notification notifications bell alert alerts",
    "message messages inbox mail email",
    "mail email envelope message",
    "phone phonenumber telephone mobile tel cellphone",
    "next forward following right older",
    "previous prev back left earlier newer",
    "forward share",
    "back return",
    "share forward",
    "download export",
    "upload import attach",
    "attach attachment paperclip clip",
    "refresh reload sync update rotate",
    "print printer",
    "copy duplicate clone clipboard",
    "filter funnel refine",
    "sort order arrange",
    "play start run execute resume",
    "run execute play start",
    "pause stop",
    "stop halt end square",
    "mute volume sound speaker audio",
    "fullscreen maximize expand enlarge",
    "expand open unfold show",
    "collapse fold minimize hide minus",
    "show view display reveal see eye visible",
    "subtitles captions cc",
    "language locale translate globe",
    "theme appearance mode dark light",
    "dark night",
    "password passcode passphrase secret pin",
    "username user userid loginname",
    "repeat confirm confirmation again retype verify",
    "maximum max upper most highest",
    "minimum min lower least lowest",
    "name title",
    "firstname first given forename",
    "lastname last family surname",
    "zipcode postcode postal zip",
    "city town",
    "country nation",
    "company organization organisation employer",
    "amount sum quantity qty",
    "quantity qty count number amount",
    "price cost",
    "date day calendar",
    "calendar date",
    "time hour clock",
    "comment reply note remark",
    "reply answer respond response",
    "description details text body content",
    "title subject heading headline summary name",
    "subject title",
    "assignee assigned owner responsible",
    "status state",
    "priority urgency severity importance",
    "label tag category",
    "category section department",
    "permission permissions rights access",
    "group groups team",
    "select choose pick",
    "all every everything",
    "transfer send wire move",
    "move drag",
    "increase increment plus up more",
    "decrease decrement minus down less",
    "zoom magnify",
    "zoomin enlarge",
    "from origin departure depart start source",
    "swap reverse exchange invert flip switch",
    "author writer by journalist",
    "bookmark save later",
    "handin turnin submit",
    "standin deputy substitute replacement",
    "why reason cause",
    "renew extend prolong",
    "absent absence away off",
    "listen aloud hear audio",
    "voucher coupon promo discount giftcard",
    "warning notice alert banner",
    "instructions note notes remark",
    "font typeface text",
    "bigger larger enlarge zoom",
    "reserve book booking reservation",
    "reset clear",
    "grade mark score rating",
    "pupil student child kid",
    "vacation holiday leave timeoff",
    "sick ill illness",
    "receiver recipient payee beneficiary",
    "expiry expiration expires valid",
    "birthday birthdate dob born",
    "street road address",
    "province region state canton",
    "block ban",
    "report flag",
    "reject decline refuse deny",
    "history log activity recent",
    "chart graph diagram plot",
    "to destination arrival arrive recipient",
    "passenger adult traveller traveler guest people person child",
    "language english deutsch francais espanol italiano",
    "currency eur usd gbp euro dollar pound",
    "trash bin recycle",
    "song track title",
    "link url address",
    "size weight length",
    "photo picture image camera",
    "meeting event appointment",
    "employee staff worker colleague",
    "customer client buyer",
    "invoice bill receipt",
    "shipping delivery shipment",
    "room bed suite",
    "checkin arrival",
    "phone call dial ring",
    "microphone mic voice",
    "camera webcam video",
    "quit exit leave",
    "hide collapse",
    "approve accept confirm",
    "comment note remark annotation",
    "react reaction emoji smiley",
    "mention at",
    "unsubscribe mute unfollow",
    "branch version",
    "preview view",
    "bug issue defect problem",
    "deploy publish release",
    "publish post release",
    "analytics statistics stats reports report insights",
    "team members people",
    "invite share",
    "seek progress timeline scrubber playback",
    "undo revert",
    "direct nonstop",
    "serving portion",
    "grid tiles tile mosaic board kanban",
    "business work",
    "trip travel travelling traveling journey",
    "remember keep stay",
    "page pagination",
    "document docs documentation",
    "docs documentation manual",
    "source code",
    "picture image photo img avatar",
    "video movie clip film",
    "directions route",
    "map maps",
    "location place position where",
    "layers satellite",
    "terms conditions tos",
    "privacy policy",
    "cookie cookies consent",
    "accept agree allow",
    "decline reject refuse deny",
    "today now",
    "week weekly",
    "month monthly",
    "year yearly annual",
    "task todo ticket issue",
    "ticket issue bug",
    "archive file store",
    "spam junk",
    "sent outbox",
    "draft drafts",
    "subscribe follow",
    "unsubscribe unfollow",
    "report flag",
    "block ban",
    "history recent log",
    "balance total sum",
    "card creditcard",
    "expiry expiration expires",
    "cvv cvc securitycode",
    "coupon voucher promo discount code",
    "rating stars review reviews",
    "brand logo manufacturer",
    "size dimension",
    "color colour",
    "toggle switch",
    "enable activate on",
    "disable deactivate off",
    "invite add",
    "contact contacts people",
    "blog news articles",
    "folder directory",
    "kernel engine interpreter",
    "terminal console shell",
    "cell block",
    "restart reboot reset",
    "reset clear",
    "clear empty reset wipe",
    "authorize authorise login",
    "try test",
)


def _groups() -> Mapping[str, frozenset[int]]:
    found: defaultdict[str, set[int]] = defaultdict(set)
    for number, group in enumerate((*_CONCEPTS, *FOREIGN)):
        for word in group.split():
            found[word].add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


CONCEPTS: Final[Mapping[str, frozenset[int]]] = _groups()
"""Which groups of like meaning a word belongs to."""

SIGNS: Final[Mapping[str, str]] = {
    "×": "close", "✕": "close", "✖": "close", "✗": "close", "❌": "close", "☰": "menu", "≡": "menu",
    "⋮": "more", "⋯": "more", "…": "", "🔍": "search", "🔎": "search", "🗑": "delete",
    "⚙": "settings", "♡": "favorite", "❤": "favorite", "♥": "favorite", "★": "star", "☆": "star",
    "🛒": "cart", "▶": "play", "⏸": "pause", "⏵": "play", "⏹": "stop", "✎": "edit", "✏": "edit",
    "🖉": "edit", "🔔": "notifications", "←": "back", "→": "next", "‹": "previous", "›": "next",
    "«": "previous", "»": "next", "⟳": "refresh", "↻": "refresh", "🔄": "refresh", "⬇": "download",
    "⤓": "download", "📎": "attach", "👤": "profile", "🏠": "home", "🔊": "volume", "🔇": "mute",
    "⛶": "fullscreen", "🌙": "dark", "☀": "light", "👍": "like", "👎": "dislike", "🖨": "print",
    "✉": "mail", "📧": "mail", "📅": "calendar", "↩": "reply", "⭐": "star", "🔒": "lock",
    "❓": "help", "💾": "save", "📋": "copy", "⤢": "expand", "⇅": "sort", "▾": "", "▼": "",
    "+": "plus", "−": "minus", "–": "", "✓": "check", "✔": "check", "¶": "permalink",
}  # fmt: skip
"""What a sign says in words."""

FIELDS: Final = {
    "textbox": 1.0, "searchbox": 1.0, "combobox": 0.9, "spinbutton": 0.95, "date": 0.9, "time": 0.9, "datetime": 0.9,
    "month": 0.9, "week": 0.9, "color": 0.8, "file": 0.7, "slider": 0.6, "listbox": 0.7, "checkbox": 0.35,
}  # fmt: skip
_BUTTON: Final = {
    "button": 1.0, "menuitem": 0.85, "switch": 0.8, "tab": 0.7, "generic": 0.8, "img": 0.7, "link": 0.7, "label": 0.5,
    "checkbox": 0.4, "radio": 0.4, "cell": 0.5, "listitem": 0.6, "option": 0.5, "treeitem": 0.5, "gridcell": 0.5,
}  # fmt: skip
_CHOICE: Final = {"combobox": 1.0, "listbox": 1.0, "button": 0.75, "menu": 0.8, "generic": 0.55, "link": 0.4}
_BOX: Final = {"checkbox": 1.0, "switch": 0.85, "menuitemcheckbox": 0.9, "button": 0.3, "generic": 0.4, "label": 0.4}
_SWITCH: Final = {"switch": 1.0, "checkbox": 0.9, "button": 0.8, "menuitemcheckbox": 0.8, "generic": 0.5}
_RADIO: Final = {"radio": 1.0, "menuitemradio": 0.9, "option": 0.6, "checkbox": 0.4, "label": 0.4, "tab": 0.4}
_SIGN: Final = {"button": 1.0, "link": 0.95, "img": 1.0, "generic": 0.95, "menuitem": 0.9, "tab": 0.8, "cell": 0.7}
_DATE: Final = {"date": 1.0, "datetime": 1.0, "month": 1.0, "week": 1.0, "time": 0.9, "textbox": 0.8, "combobox": 0.7}

ROLES: Final[Mapping[str, Mapping[str, float]]] = {
    "button": _BUTTON,
    "btn": _BUTTON,
    "pushbutton": _BUTTON,
    "link": {"link": 1.0, "button": 0.5, "generic": 0.6, "menuitem": 0.7, "tab": 0.6, "treeitem": 0.6},
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
    **dict.fromkeys(("knopf", "schaltflache", "bouton", "boton", "pulsante", "botao", "knop"), _BUTTON),
    **dict.fromkeys(("feld", "eingabefeld", "champ", "campo", "veld"), FIELDS),
    **dict.fromkeys(("kastchen", "kontrollkastchen", "casilla", "casella"), _BOX),
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

STOP: Final = frozenset(
    """a an the this that these those to is are be it its which who whose i you my me we our your please can could would
    want need should with by as and or so there here thing element control one some any find click clicking press
    pressing tap hit locate used using use labelled labeled called named saying says reading write type fill
    where go into by only just read do does did am
    der die das den dem ein eine einen mein meine zum zur le la les un une mon ma el los las il lo""".split()  # noqa: SIM905 - as below
)
"""Words that say nothing of an element. `to` and `go` still count where a name has them."""

VAGUE: Final = frozenset(
    """page section item product result entry line article post area panel form list row card table menu window dialog
    popup option options value text site website screen part block group record object column cell button view current
    main new open filter folder mode function parameter setting""".split()  # noqa: SIM905 - as below
)
"""Words that say little: a page seldom writes them on what they mean."""

UNITS: Final = frozenset(
    """row item product result entry line article post card message email mail comment user event task todo ticket issue
    record order transaction video photo image thread option file cell step account book track song story review
    notification repository endpoint operation question conversation job plan person member
    slide""".split()  # noqa: SIM905 - as below
)
"""What is counted by "the second ..."."""

ORDINALS: Final[Mapping[str, int]] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "last": -1, "final": -1, "penultimate": -2, "topmost": 1, "bottommost": -1,
    **{f"{number}{ending}": number for number in range(1, 101) for ending in ("st", "nd", "rd", "th")},
}  # fmt: skip

STATES: Final[Mapping[str, tuple[frozenset[str], bool]]] = {
    "checked": (frozenset({"checked", "pressed"}), True),
    "ticked": (frozenset({"checked"}), True),
    "unchecked": (frozenset({"checked", "pressed"}), False),
    "unticked": (frozenset({"checked"}), False),
    "selected": (frozenset({"selected", "checked", "current"}), True),
    "unselected": (frozenset({"selected", "checked", "current"}), False),
    "active": (frozenset({"selected", "current", "pressed"}), True),
    "current": (frozenset({"selected", "current"}), True),
    "pressed": (frozenset({"pressed"}), True),
    "disabled": (frozenset({"disabled"}), True),
    "greyed": (frozenset({"disabled"}), True),
    "enabled": (frozenset({"disabled"}), False),
    "expanded": (frozenset({"expanded"}), True),
    "opened": (frozenset({"expanded"}), True),
    "collapsed": (frozenset({"collapsed"}), True),
    "required": (frozenset({"required"}), True),
    "mandatory": (frozenset({"required"}), True),
    "invalid": (frozenset({"invalid"}), True),
    "focused": (frozenset({"focused"}), True),
}
"""The states a word asks for, and whether they are to be there or not."""

PLACES: Final[Mapping[str, frozenset[str]]] = {
    "header": frozenset({"banner", "top"}),
    "top": frozenset({"banner", "top"}),
    "upper": frozenset({"banner", "top"}),
    "footer": frozenset({"contentinfo", "bottom"}),
    "bottom": frozenset({"contentinfo", "bottom"}),
    "lower": frozenset({"bottom"}),
    "sidebar": frozenset({"complementary", "navigation", "left", "right", "sidebar", "sidenav"}),
    "side": frozenset({"complementary", "left", "right"}),
    "left": frozenset({"left"}),
    "right": frozenset({"right"}),
    "navigation": frozenset({"navigation", "menubar", "tablist"}),
    "nav": frozenset({"navigation", "menubar"}),
    "navbar": frozenset({"navigation", "banner", "menubar", "navbar"}),
    "toolbar": frozenset({"toolbar", "menubar"}),
    "dialog": frozenset({"dialog", "alertdialog", "modal"}),
    "popup": frozenset({"dialog", "alertdialog", "modal", "menu", "listbox"}),
    "modal": frozenset({"dialog", "alertdialog", "modal"}),
    "pagination": frozenset({"pagination", "pager"}),
    "pager": frozenset({"pagination", "pager"}),
    "corner": frozenset({"top", "bottom"}),
    "table": frozenset({"table", "grid", "treegrid"}),
    "breadcrumb": frozenset({"breadcrumb"}),
    "breadcrumbs": frozenset({"breadcrumb"}),
}
"""Where on the page a word points to, by landmark or by side."""

BETWEEN: Final = frozenset(
    """of in for on from inside within under below beside near at belonging beneath underneath above after
    about von vom aus im fur pour dans para""".split()  # noqa: SIM905 - a list of words reads better as words
)
"""What stands between the thing that is meant and what is around it."""

COLOURS: Final = frozenset(
    "red orange yellow green blue purple pink brown black white grey gray".split()  # noqa: SIM905 - as above
)

ACTIONS: Final = frozenset(
    """add delete remove edit change close save submit send reply archive snooze star select choose filter sort
    view react show hide export import download upload attach share like dislike increase decrease play pause
    mute copy create new cancel apply clear accept reject subscribe dispute transfer zoom swap reverse insert
    discard search expand collapse rename move print refresh run start stop enable disable register update
    configure reset restart retry resume follow unfollow invite approve publish deploy assign merge duplicate undo redo
    lock unlock pin unpin toggle switch confirm""".split()  # noqa: SIM905 - as above
)
"""What is done by a control: at the beginning of a query it is what the control says, not what is around it."""

LAST: Final = frozenset(
    word for group in FOREIGN if group.split()[0] in ACTIONS for word in group.split()[1:] if word.endswith("en")
)
"""What is done, in German and Dutch, which say it last."""

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
}
"""Words that a role says by itself."""

SAID_BY_STATE: Final[Mapping[str, tuple[str, ...]]] = {
    "hover": ("menu", "submenu"),
    "draggable": ("drag", "draggable", "handle"),
    "droppable": ("drop", "droppable", "target", "zone", "area"),
}
"""Words for what can be done with an element besides clicking it."""
