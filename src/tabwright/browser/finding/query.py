"""What a query asks for: words of the thing itself, words of what is around it, its kind, its state, which of several.

Pure. A query can be read in more than one way ("terms of service" is a name, "name of the first user" is not), so it
is read in all of them and the page decides.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tabwright.browser.finding.kinds import ROLES, WANTS
from tabwright.browser.finding.synonyms import ACTIONS, BETWEEN, LAST, ORDINALS, STATES, STOP, UNITS, VAGUE
from tabwright.browser.finding.text import words_of

TYPING: Final = frozenset({"write", "type", "fill", "only", "just", "read"})
ASKING: Final = frozenset("where how do does can could should would i we want need to please".split())  # noqa: SIM905 - reads better as words
ICONS: Final = frozenset({"icon", "sign", "symbol"})
LOOKING: Final = frozenset({"open", "expand", "select", "choose", "view", "show", "visit"})
"""What is done to a thing by clicking it, without anything on it that says so."""
SEEKING: Final = LOOKING | {"search", "find", "filter", "sort", "order", "hide", "add", "new", "create"}
"""What is done to many things or to none that is there yet."""
COUNT: Final = ("number",)
"""The number of guests is often just called "guests"."""
OPEN: Final = "open"
_COUNTED: Final = re.compile(r"^\d{1,3}$")
_OWNED: Final = re.compile(r"(?<=\w)'s\b|(?<=s)'(?=\s)|(?<=\w)[のを的](?=\w)")
_NAMED: Final = re.compile(r"(?<=\w):\s(?=\w)")
DIGITS: Final = "一二三四五六七八九十"
_EASTERN: Final = re.compile(
    rf"第([{DIGITS}]|\d+)[个個条條行項项番目件]*の?的?|([{DIGITS}]|\d+)(?:番目|つ目|個目|件目)の?"
)
_FIRST: Final = re.compile("最初の?")
_FINAL: Final = re.compile("最[後后]の?一?[个個条條]?的?")
_ASKED: Final = re.compile(
    r"^\W*(?:please\W+|(?:can|could|would) you (?:please )?|i(?:'d like| want| need|) to )*"
    r"(?:(?:click|tap|press|hit)(?: on)? (?:on|the|this)\b(?: the\b)?|click (?!here|to|the|on)|"
    r"(?:find|locate|identify|get)(?: me)? the\b|"
    r"(?:where|which(?: one)?|what) is the\b|the\b)? *",
    re.IGNORECASE,
)
_HERE: Final = re.compile(
    r"(?: (?:on|in|of) (?:the|this) (?:current )?(?:web ?)?(?:page|site|screen))?[\s.!?]*(?:,? please)?[\s.!?]*$",
    re.IGNORECASE,
)
"""What is said around the words for a thing, but says nothing of it."""
_BYGONE: Final = re.compile(r"\b(?:last|past)(?= (?:week|month|year)s?\b(?! of\b))", re.IGNORECASE)
"""Last week is the one before, not the last of several."""
ARTICLES: Final = frozenset({"an", "the", "this", "that", "to", "my", "it", "one"})


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a query."""

    own: tuple[str, ...]
    """Words of the thing itself."""
    around: tuple[str, ...] = ()
    """Words of what it belongs to."""
    kinds: tuple[str, ...] = ()
    """Words for what it is: button, field."""
    nth: int = 0
    """Which of several; -1 for the last, 0 if it does not say."""
    of_unit: bool = False
    """It counts what the thing is in (rows, products), not the things."""
    counted: str = ""
    """What is counted, if it is called something."""
    by_number: bool = False
    """It counts by a plain number ("item 3"), which may be a name instead."""
    split: bool = False
    in_row: bool = False
    """What is around is a row, or another one of several."""
    called: tuple[str, ...] = ()
    """What kind of thing its own words are written on, as people call it."""
    head: tuple[str, ...] = ()
    """Words before the first "of" or "in": those of the thing itself, if it is to be read so."""

    @property
    def roles(self) -> Sequence[Mapping[str, float]]:
        return [ROLES.get(kind) or WANTS[kind] for kind in self.kinds]


def bare(query: str) -> str:
    """Without what only asks for it: "click on the logo on this page" is the logo."""
    asked = _ASKED.sub("", _HERE.sub("", query))
    return asked if any(word not in STOP for word in words_of(asked)) else query


def readings(query: str) -> Sequence[Reading]:
    """Every way to read a query, the plain one last; there is always one."""
    query = _western(query)
    owner, owned = _owner(query)
    found: list[Reading] = []
    for done, whose in _actions(words_of(owner)) if owned else ():
        found += _read((*done, *words_of(owned)), whose)
    said = words_of(f"{owner} {owned}" if owned else query)
    words = _ordered(said) if said else said
    if words[:1] == ("write",):
        found += _read(("compose", *words[1:]))
    cuts = [
        place
        for place in range(1, len(words) - 1)
        if words[place] in BETWEEN or words[place : place + 2] == ("next", "to")
    ]
    for place in cuts:
        around = words[place + (2 if words[place] == "next" else 1) :]
        found += _read(words[:place], around)
        found += _called(words[:place], around)
        if words[:place] == COUNT:
            found += _read(around)
    if (
        len(words) > 1
        and words[-1] in UNITS
        and not cuts
        and not any(word in ACTIONS or word in TYPING for word in words)
    ):
        found += _called(words[-1:], words[:-1])
    # what is counted after "in" or "of" is what things are in
    found += _read(
        words, head=words[: cuts[0]] if cuts else (), may_count=not _has_count(words[cuts[0] :] if cuts else ())
    )
    # where nothing else is said, words that say little are a name: "At", "One"
    return [each for each in found if each.own or each.around or each.kinds or each.counted] or [Reading(tuple(words))]


def _ordered(words: Sequence[str]) -> Sequence[str]:
    """What is done comes first: after "where do I", in German last; who wants to see only some wants a filter."""
    asked = next((place for place, word in enumerate(words) if word not in ASKING), 0)
    # a field may be called "Where?"
    words = words[asked:] if any(word not in ROLES for word in words[asked:]) else words
    if words[-1] in LAST:
        return (words[-1], *words[:-1])
    return words[1:] if words[:1] == ("show",) and words[1:2] in (("only",), ("just",)) else words


def _has_count(words: Sequence[str]) -> bool:
    return _counted(words)[1] != 0


def _western(query: str) -> str:
    """With Chinese and Japanese counting words as English ones."""
    said = _FIRST.sub(" first ", _FINAL.sub(" last ", _BYGONE.sub("previous", query)))
    return _EASTERN.sub(lambda found: f" {_number(found[1] or found[2])}th ", said)


def _number(said: str) -> int:
    return int(said) if said.isdecimal() else DIGITS.index(said[-1]) + 1


def _owner(query: str) -> tuple[str, str]:
    """Of "the third row's checkbox" the row and the checkbox, of "status: open" the status and open."""
    text = query.replace("’", "'")
    match = _OWNED.search(text) or _NAMED.search(text)
    return (text[: match.start()], text[match.end() :]) if match else ("", "")


def _actions(owner: Sequence[str]) -> Sequence[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What is done, and whose: of "edit Ann's comment" the editing is not Ann's, nor is the star of "star to Ann's"."""
    cut = next((place + 1 for place, word in enumerate(owner[:-1]) if word == "to" or word in BETWEEN), 0)
    splits = dict.fromkeys((0, 1, cut) if len(owner) > 1 else (0,))
    # of "the third row's" nothing is done
    return [
        (tuple(owner[:split]), tuple(owner[split:]))
        for split in splits
        if not split or owner[split - 1] not in ORDINALS
    ]


def _read(
    words: Sequence[str], around: Sequence[str] = (), *, head: Sequence[str] = (), may_count: bool = True
) -> Sequence[Reading]:
    """With counting words as such, and as plain words."""
    split = bool(around)
    own, nth, unit = _counted(words)
    # "the last mail in the list": where it is in is read apart from it
    may_count = may_count and not (unit and own[:1] and own[0] in BETWEEN)
    outer, outer_nth, outer_unit = _counted(around)
    found: list[Reading] = []
    by_number = _is_number(around if outer_nth else words)
    if (nth or outer_nth) and may_count:
        counted = Reading(
            own=_done(own) if unit else _telling(own),
            # "in the list" says nothing: it is where things are counted
            around=() if nth and all(word in VAGUE for word in _telling(outer)) else _telling(outer),
            kinds=_kinds(own) or _wanted(words),
            # "the third row in the first table"
            nth=nth if unit else outer_nth or nth,
            of_unit=bool(outer_nth) or bool(unit),
            counted=unit or outer_unit,
            by_number=by_number,
            split=split,
        )
        found.append(counted)
        found += _by_noun(counted, words) if nth and not unit else _looked(counted)
        # "in the first list": what is counted, where the page does not write it
        if outer_nth and len(counted.around) == 1:
            found.append(replace(counted, around=()))
    if not split:
        found.append(Reading(_telling(words), kinds=_kinds(words) or _typed(words), head=_telling(head)))
    elif not found or by_number:
        found.append(Reading(_telling(words), _telling(around), kinds=_kinds(words) or _wanted(words), split=True))
    return found


def _called(words: Sequence[str], around: Sequence[str]) -> Sequence[Reading]:
    """ "The mail from Ann" is what her name stands on: nobody writes "mail" on a mail."""
    head = _telling(words)
    told = _telling(around)
    is_thing = (
        head
        and told
        and all(word in UNITS for word in head)
        and not _kinds((*words, *around))
        and not _has_count(around)
    )
    return [Reading(told, kinds=(OPEN,), counted=head[-1], called=head)] if is_thing else []


def _by_noun(counted: Reading, words: Sequence[str]) -> Sequence[Reading]:
    """Whatever stands after "the last" may be what things are in: "edit the last project"."""
    place = next(place for place, word in enumerate(words) if word in ORDINALS)
    noun = next((word for word in words[place + 1 : place + 3] if word in counted.own and word not in ACTIONS), "")
    # "the last heart icon" counts icons
    if not noun or ICONS & set(words[place + 2 : place + 3]):
        return ()
    own = tuple(word for word in counted.own if word != noun)
    read = replace(counted, own=_done(own), kinds=counted.kinds or _opened(own), of_unit=True, counted=noun)
    return [read, *_looked(read)]


def _looked(counted: Reading) -> Sequence[Reading]:
    """ "Expand the third question" is a click on the question."""
    is_click = len(counted.own) == 1 and counted.own[0] in LOOKING and not counted.kinds
    return [replace(counted, own=())] if is_click else []


def _telling(words: Sequence[str]) -> tuple[str, ...]:
    """Without what says nothing; where nothing else is said, that will have to do."""
    kept = tuple(
        word
        for place, word in enumerate(words)
        if word not in STOP and word not in ROLES and (word not in BETWEEN or (place == 0 and len(words) > 1))
    )
    return kept or tuple(word for word in words if word in STOP and len(word) > 1 and word not in ARTICLES)


def _kinds(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word in ROLES)


def _typed(words: Sequence[str]) -> tuple[str, ...]:
    """Whoever writes wants a field, and whoever wants only some a filter; other verbs may be a name: "check out"."""
    return tuple(word for word in words[:1] if len(words) > 1 and word in TYPING)


def _done(words: Sequence[str]) -> tuple[str, ...]:
    """Nobody writes "open" on the second mail."""
    told = _telling(words)
    return () if told == (OPEN,) else told


def _opened(words: Sequence[str]) -> tuple[str, ...]:
    return (OPEN,) if tuple(words) == (OPEN,) else ()


def _wanted(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in words[:2] if word in WANTS and word not in STATES)


def _counted(words: Sequence[str]) -> tuple[tuple[str, ...], int, str]:
    """The words without those that count, the number, and what it counts if things are in it."""
    for place, word in enumerate(words):
        after = tuple(words[place + 1 : place + 3])
        if word in ORDINALS:
            number = ORDINALS[word]
            rest = [*words[:place], *words[place + 1 :]]
            if number > 0 and after[:1] == ("last",):
                number, rest, after = (
                    -number,
                    [*words[:place], *words[place + 2 :]],
                    tuple(words[place + 2 : place + 4]),
                )
            unit = next((each for each in after if is_unit(each)), "")
            return _without(rest, unit), number, unit
        if is_unit(word) and after and _COUNTED.match(after[0]):
            return (*words[:place], *words[place + 2 :]), int(after[0]), word
    return tuple(words), 0, ""


def _is_number(words: Sequence[str]) -> bool:
    """Whether what counts in these words is a plain number."""
    return _counted(words)[1] > 0 and not any(word in ORDINALS for word in words)


def is_unit(word: str) -> bool:
    return word in UNITS or word.removesuffix("s") in UNITS


def _without(words: Sequence[str], unit: str) -> tuple[str, ...]:
    """ "Second product" counts products; the word itself is seldom written anywhere."""
    gone = list(words)
    if unit:
        gone.remove(unit)
    return tuple(gone)
