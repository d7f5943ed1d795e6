"""The errands that agents run, and how the web server knows that they are done."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.pages import Shop, price
from bench.session import Session

LOG_IN, FILTER, EDIT, UPLOAD, COMPARE = "log in", "filter a list", "edit a record", "upload a file", "compare two tabs"
USER, PASSWORD = "ada", "countess"


@dataclass(frozen=True)
class Errand:
    """What a person tells the agent: where, and which of the users or products."""

    admin: str
    shop: str
    file: Path
    number: int

    @property
    def user(self) -> str:
        return f"user{self.number:03}"

    @property
    def user_url(self) -> str:
        # Ada is the first
        return f"{self.admin}/auth/user/{self.number + 2}/change/"

    @property
    def products(self) -> tuple[str, str]:
        return f"{self.shop}/product/{self.number % 50}", f"{self.shop}/product/{self.number % 50 + 1}"

    @property
    def cheaper(self) -> int:
        """0 or 1."""
        first = self.number % 50
        return int(price(first + 1) < price(first))


Script = Callable[[Session, Errand], str]
"""Runs the calls and answers what the agent would tell the person."""


class Book:
    """What the web servers know: the admin's database, and what was posted to the shop."""

    def __init__(self, database: Path, shop: Shop) -> None:
        self._database = database
        self._shop = shop

    def is_done(self, name: str, errand: Errand, answer: str) -> bool:
        checks: dict[str, Callable[[], bool]] = {
            LOG_IN: lambda: self._query("select last_login from auth_user where username = 'ada'") is not None,
            FILTER: lambda: f"{errand.user}@example.org" in answer,
            EDIT: lambda: self._edited(errand),
            UPLOAD: lambda: any(
                _all_in(sent, errand.user, errand.file.read_text()) for sent in self._shop.took("/papers")
            ),
            COMPARE: lambda: self._shop.took("/cart") == [_cart(errand)],
        }
        return checks[name]()

    def forget(self) -> None:
        """As before the first errand: nobody ever logged in."""
        with sqlite3.connect(self._database, timeout=30) as database:
            database.execute("update auth_user set last_login = null")

    def _edited(self, errand: Errand) -> bool:
        found = self._query(f"select last_name || is_staff from auth_user where username = '{errand.user}'")
        return found == f"{new_name(errand)}1"

    def _query(self, statement: str) -> object:
        with sqlite3.connect(self._database, timeout=30) as database:
            row = database.execute(statement).fetchone()
        return row[0] if row else None


def new_name(errand: Errand) -> str:
    return f"Renamed{errand.number}"


def _all_in(sent: bytes, *words: str) -> bool:
    return all(word.encode() in sent for word in words)


def _cart(errand: Errand) -> bytes:
    return f"product={errand.number % 50 + errand.cheaper}".encode()


EVERY: Final = (LOG_IN, FILTER, EDIT, UPLOAD, COMPARE)
