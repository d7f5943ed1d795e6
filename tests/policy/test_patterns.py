"""Patterns of clients: plain ones match, dear ones are refused or cheap."""

import time

import pytest

from tabwright.errors import InvalidArguments
from tabwright.policy.patterns import matcher


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("error|warn", "An ERROR", True),
        (r"api/v\d+/\w+$", "https://a.test/API/v12/users", True),
        ("^GET", "POST GET", False),
        ("É", "café", True),
        ("", "anything", True),
    ],
)
def test_a_pattern_is_searched_in_any_case(pattern: str, text: str, found: bool) -> None:
    assert matcher(pattern)(text) is found


@pytest.mark.parametrize("pattern", ["(?=x)", "(?<!x)y", r"(a)\1", "[", "(", "*", "a{1,100000}{1,100000}", "x" * 1001])
def test_what_cannot_be_searched_for_in_linear_time_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidArguments, match="Not a pattern"):
        matcher(pattern)


def test_a_pattern_made_to_hang_is_quick() -> None:
    began = time.process_time()
    assert not matcher("(a+)+(a|aa)+(a*)*$")("a" * 50_000 + "b")
    assert time.process_time() - began < 1
