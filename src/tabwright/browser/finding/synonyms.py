"""The words of a query that say where, which, in what state and what to do, rather than what is written on a thing.

Pure data. The other modules here read it; nothing here depends on a page.
"""

from collections.abc import Mapping
from typing import Final

from tabwright.browser.finding.foreign_topics import TOPICS
from tabwright.browser.finding.foreign_words import FOREIGN

STOP: Final = frozenset(
    """a an the this that these those to is are be it its which who whose i you my me we our your please can could would
    want need should with by as and or so there here thing element control one some any find click clicking press
    pressing tap hit locate used using use labelled labeled called named saying says reading write type fill
    where go into by only just read do does did am
    der die das den dem ein eine einen mein meine zum zur le la les un une mon ma mes el los las il lo mi mis et und y
    os""".split()  # noqa: SIM905 - as below
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
    slide pullrequest pr commit template song note deal lead customer student course flight hotel room train trip
    connection place restaurant recipe movie film episode server device session""".split()  # noqa: SIM905 - as below
)
"""What is counted by "the second ..."."""

ORDINALS: Final[Mapping[str, int]] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "last": -1, "final": -1, "penultimate": -2, "topmost": 1, "bottommost": -1,
    **{f"{word}{ending}": number
       for number, word in ((1, "erst"), (2, "zweit"), (3, "dritt"), (4, "viert"), (-1, "letzt"))
       for ending in ("e", "er", "en", "es", "em")},
    "premier": 1, "premiere": 1, "deuxieme": 2, "troisieme": 3, "quatrieme": 4, "dernier": -1, "derniere": -1,
    "primer": 1, "primero": 1, "primera": 1, "segundo": 2, "segunda": 2, "tercer": 3, "tercera": 3, "ultimo": -1,
    "ultima": -1, "primo": 1, "prima": 1, "secondo": 2, "seconda": 2, "terzo": 3, "eerste": 1, "tweede": 2, "derde": 3,
    "laatste": -1, "primeiro": 1, "primeira": 1, "terceiro": 3, "terceira": 3,
    **{f"{number}{ending}": number for number in range(1, 101) for ending in ("st", "nd", "rd", "th")},
}  # fmt: skip

STATES: Final[Mapping[str, tuple[frozenset[str], bool]]] = {
    "checked": (frozenset({"checked", "pressed"}), True),
    "ticked": (frozenset({"checked"}), True),
    "unchecked": (frozenset({"checked", "pressed"}), False),
    "unticked": (frozenset({"checked"}), False),
    "selected": (frozenset({"selected", "checked", "current", "pressed"}), True),
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
    "error": (frozenset({"invalid"}), True),
    "wrong": (frozenset({"invalid"}), True),
    "incorrect": (frozenset({"invalid"}), True),
    "unavailable": (frozenset({"disabled"}), True),
    "liked": (frozenset({"pressed", "checked"}), True),
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
    about von vom aus im fur bei pour dans sur du des de del para di della van voor""".split()  # noqa: SIM905 - a list of words reads better as words
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

DEEDS: Final = ACTIONS | frozenset(
    "rate return buy track renew upvote downvote revoke restore reserve withdraw report book pay call reorder".split()  # noqa: SIM905 - as above
)
"""What a query may begin with besides, though it is no deed where a name begins with it."""

ABROAD: Final = frozenset(
    word
    for group in (*FOREIGN.split(","), *TOPICS.split(","))
    if group.split()[0] in DEEDS
    for word in group.split()[1:]
)
"""What is done, in other languages."""

LAST: Final = frozenset(
    word
    for group in FOREIGN.split(",")
    if group.split()[0] in ACTIONS
    for word in group.split()[1:]
    if word.endswith("en")
)
"""What is done, in German and Dutch, which say it last."""
