"""update_plan: the person is shown where the agent wants to work and how, and agrees or does not."""

from tabwright.calls.asking import MAX_QUESTION
from tabwright.errors import Denied
from tabwright.model import Face, Json, Toolset
from tabwright.policy.text import clean
from tests.calls.world import world

PLAN: dict[str, Json] = {
    "domains": ["https://Shop.example/cart", "shop.example", "mail.example"],
    "approach": ["Find the order", " ", "Write to the seller\n\u202e"],
}


async def test_what_the_person_is_asked_names_sites_and_steps() -> None:
    async with world() as made:
        made.chrome().link()
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        result = await agent.session.call("update_plan", PLAN)
        assert result.structured == {"approved": True, "domains": ["shop.example", "mail.example"]}
        [(action, ask)] = made.approver.asked
        assert action.tool == "update_plan"
        assert ask.question == (
            "The agent plans to work on shop.example, mail.example: Find the order; Write to the seller. Agree?"
        )


async def test_a_plan_that_could_not_be_shown_whole_is_not_asked_about() -> None:
    async with world() as made:
        made.chrome().link()
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        steps: list[Json] = [*["Look around"] * 80, "Pay"]
        assert await agent.refused("update_plan", domains=["shop.example"], approach=steps) == "invalid_arguments"
        assert not made.approver.asked
        result = await agent.session.call("update_plan", {"domains": ["shop.example"], "approach": steps[:70]})
        assert not result.is_error
        [(_, ask)] = made.approver.asked
        assert ask.question == clean(ask.question, MAX_QUESTION)


async def test_two_servers_of_one_host_are_two_sites() -> None:
    async with world() as made:
        made.chrome().link()
        made.approver.struck = ("http://localhost:8000",)
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        domains: list[Json] = ["localhost:3000", "localhost:8000/admin", "http://shop.example", "shop.example"]
        result = await agent.session.call("update_plan", {"domains": domains, "approach": ["Compare"]})
        left = ["localhost:3000", "http://shop.example", "https://shop.example"]
        assert result.structured == {"approved": True, "domains": left, "struck": ["localhost:8000"]}
        assert "http://localhost:3000" in {grant.key.origin for grant in made.grants.listed()}


async def test_a_refused_plan_is_an_error_in_the_persons_words() -> None:
    async with world() as made:
        made.chrome().link()
        made.approver.refusal = Denied("The person said no.", "Ask what they want instead.")
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        assert await agent.refused("update_plan", **PLAN) == "denied"


async def test_a_site_that_the_person_struck_out_is_told_and_not_open() -> None:
    async with world() as made:
        made.chrome().link()
        made.approver.struck = ("https://mail.example",)
        agent = made.client(Toolset.AUTOMATION, face=Face.STABLE)
        result = await agent.session.call("update_plan", PLAN)
        assert result.structured == {"approved": True, "domains": ["shop.example"], "struck": ["mail.example"]}
        assert {grant.key.origin for grant in made.grants.listed()} == {"https://shop.example"}
        [(_, ask)] = made.approver.asked
        assert ask.choices == ("https://shop.example", "https://mail.example")
