"""Consent on the dashboard: open questions and their answers, grants and their end."""

from typing import Any, Final, cast

from tabwright.calls.audit import Audit
from tabwright.calls.questions import OpenQuestion, OpenQuestions, Pressed
from tabwright.edges.commands.grant_control import GrantControl, described_profile
from tabwright.errors import GatewayError
from tabwright.model import Json, JsonObject
from tabwright.policy.grants import Grants
from tabwright.policy.text import clean

BY: Final = "dashboard"
MAX_NAME: Final = 80


class Approvals:
    """What the dashboard shows of it, and does."""

    def __init__(self, questions: OpenQuestions, grants: Grants, audit: Audit) -> None:
        self.questions = questions
        self._grants = GrantControl(grants, audit, BY)

    def view(self) -> JsonObject:
        grants = cast(list[dict[str, Any]], self._grants.handle("grants-list", {})["grants"])
        return {
            "questions": [_question(question) for question in self.questions.listed()],
            "grants": [_grant(grant) for grant in grants],
        }

    def answer(self, question_id: str, told: JsonObject) -> bool:
        """Whether that answered a question: `answer`, and `chosen`, what is left of its choices."""
        return self.questions.answer(question_id, Pressed.of(told))

    def revoke(self, grant_id: str) -> bool:
        """Whether there was such a grant."""
        try:
            return bool(self._grants.handle("grants-revoke", {"id": grant_id})["grants"])
        except GatewayError:
            return False


def _question(question: OpenQuestion) -> Json:
    return {**question.told, "id": question.id, "until": round(question.until, 3)}


def _grant(grant: dict[str, Any]) -> Json:
    """The names a client and a page tool call themselves stand beside ours: cleaned."""
    return {
        "id": grant["id"],
        "origin": grant["origin"],
        "class": grant["class"],
        "client": clean(grant["client"], MAX_NAME),
        "tool": clean(grant["tool"], MAX_NAME),
        "where": described_profile(grant["profile"]),
        "scope": grant["scope"],
    }
