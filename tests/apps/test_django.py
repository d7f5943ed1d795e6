"""Django's admin by the tools made from its pages; the database tells what really happened."""

import hashlib
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from tests.apps.page import Page, visiting
from tests.gateway import WAIT_S, GatewayProcess

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]


class Admin:
    """A running site and its database."""

    def __init__(self, url: str, database: Path) -> None:
        self.url = url
        self._database = database

    def ask(self, question: str, *values: object) -> list[Any]:
        """The rows that answer, the only column of each without its tuple."""
        with closing(sqlite3.connect(self._database, timeout=WAIT_S)) as database:
            rows = database.execute(question, values).fetchall()
        return [row[0] if len(row) == 1 else row for row in rows]

    def usernames(self, condition: str = "1", order: str = "username") -> list[str]:
        return self.ask(f"select username from auth_user where {condition} order by {order}")


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Admin]:
    folder = tmp_path_factory.mktemp("django")
    database, log = folder / "users.sqlite3", folder / "log"
    command = [sys.executable, "-u", "-m", "tests.apps.django_site", str(database)]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            said = "Starting development server at "
            line = next((line for line in server.stdout if line.startswith(said)), None)
            assert line is not None, log.read_text()
            yield Admin(line.removeprefix(said).strip(), database)
        finally:
            server.terminate()


@asynccontextmanager
async def at_users(gateway: GatewayProcess, admin: Admin) -> AsyncGenerator[Page]:
    """The list of users, logged in."""
    async with visiting(gateway, f"{admin.url}admin/auth/user/") as page:
        if (await page.offered("log_in", "read_user_table")).name == "log_in":
            await page.run("log_in", username="ada", password="countess")
        await page.offered("read_user_table")
        yield page


async def listed(page: Page) -> list[str]:
    """The first column of the table of users."""
    _, *rows = (await page.run("read_user_table", limit=1000)).splitlines()
    return [row.partition(" | ")[0] for row in rows]


async def test_a_log_in_fails_with_the_wrong_password_and_works_with_the_right_one(
    shared: GatewayProcess, admin: Admin
) -> None:
    # another host name, so that the cookies of the other tests do not count
    async with visiting(shared, f"{admin.url.replace('127.0.0.1', 'localhost')}admin/") as page:
        login = await page.offered("log_in")
        assert login.input_schema["required"] == ["username", "password"]
        sessions = admin.ask("select session_key from django_session")
        told = await page.fails("log_in", username="ada", password="baroness")
        assert "Please enter the correct username and password for a staff account" in told
        assert "baroness" not in told
        assert admin.ask("select session_key from django_session") == sessions
        assert "Site administration" in await page.run("log_in", username="ada", password="countess")
        assert len(admin.ask("select session_key from django_session")) == len(sessions) + 1
        models = await page.offered("open_model")
        assert "0: Groups; 1: Users" in str(models.description)
        assert "/admin/auth/user/" in await page.run("open_model", index=1)
        assert "Logged out" in await page.run("log_out")
        assert admin.ask("select session_key from django_session") == sessions


async def test_users_are_searched_filtered_and_opened(shared: GatewayProcess, admin: Admin) -> None:
    async with at_users(shared, admin) as page:
        await page.run("search_user", query="user12")
        assert await listed(page) == admin.usernames("username like 'user12%'")
        await page.run("search_user", query="")
        await page.run("filter_by", filter="staff status: Yes")
        staff = admin.usernames("is_staff")
        assert await listed(page) == staff
        shown = await page.offered("open_user")
        assert f"0: ada; 1: {staff[1]}" in str(shown.description)
        assert shown.input_schema["properties"]["index"]["maximum"] == len(staff) - 1
        told = await page.run("open_user", index=2)
        [number] = admin.ask("select id from auth_user where username = ?", staff[2])
        assert f"{staff[2]} | Change user" in told
        assert f"/admin/auth/user/{number}/change/" in told


async def test_the_list_is_read_sorted_and_paged(shared: GatewayProcess, admin: Admin) -> None:
    async with at_users(shared, admin) as page:
        read = await page.run("read_user_table", columns=["Username", "Staff status"], limit=2)
        assert read.splitlines()[:3] == ["Username | Staff status", "ada | True", "user000 | False"]
        everyone = admin.usernames()
        assert await listed(page) == everyone[:100]
        assert "p=2" in await page.run("next_page")
        await page.offered("previous_page")
        assert await listed(page) == everyone[100:200]
        await page.run("previous_page")
        await page.offered("next_page")
        assert await listed(page) == everyone[:100]
        await page.run("sort_by", column="Last name")
        assert await listed(page) == admin.usernames(order="last_name, username")[:100]


@pytest.mark.parametrize("query", ["q=user12", "q=ada", "o=-2.1", "is_staff__exact=1&o=-1&q=user"])
async def test_no_search_or_order_renames_a_tool(shared: GatewayProcess, admin: Admin, query: str) -> None:
    async with at_users(shared, admin) as page:
        before = await page.tools()
        await page.open(f"{admin.url}admin/auth/user/?{query}")
        after = await page.tools()
        assert before.keys() - after.keys() <= {"next_page"}
        assert after.keys() - before.keys() == set()
        for name in ("read_user_table", "sort_by"):
            assert after[name].input_schema == before[name].input_schema
        places = after["go_to"].input_schema["properties"]["section"]["enum"]
        assert {"Add: Groups", "Add: Users"} <= set(places)
        assert "Add" not in places


async def test_a_user_is_added_once_the_form_has_nothing_to_complain_about(
    shared: GatewayProcess, admin: Admin
) -> None:
    async with at_users(shared, admin) as page:
        assert "Heading: “Add user”" in await page.run("add_user")
        secret = "Compil3r-1952"
        told = await page.fails("add_user", username="grace", password1=secret, password2="Compil3r-1953")
        assert "The two password fields didn’t match" in told
        assert "Compil3r" not in told
        told = await page.fails("add_user", username="grace", password1="grace", password2="grace")
        assert "too similar to the username" in told
        assert "at least 8 characters" in told
        told = await page.fails("add_user", username="ada", password1=secret, password2=secret)
        assert "A user with that username already exists" in told
        assert admin.usernames("username = 'grace'") == []
        told = await page.run("add_user", username="grace", password1=secret, password2=secret)
        assert "added successfully" in told
        [(number, password)] = admin.ask("select id, password from auth_user where username = 'grace'")
        method, salt, digest = password.split("$")
        assert (method, digest) == ("md5", hashlib.md5(f"{salt}{secret}".encode()).hexdigest())
        assert f"/admin/auth/user/{number}/change/" in told

        assert "Enter a valid email address" in await page.fails("change_user", email="grace")
        names = {"first_name": "Grace", "last_name": "Hopper"}
        told = await page.run("change_user", **names, email="grace@example.org", is_staff=True)
        assert "changed successfully" in told
        changed = admin.ask("select first_name, last_name, email, is_staff from auth_user where id = ?", number)
        assert changed == [("Grace", "Hopper", "grace@example.org", 1)]


async def test_permissions_are_moved_between_two_boxes(shared: GatewayProcess, admin: Admin) -> None:
    granted = """select p.codename from auth_permission p join auth_group_permissions g on g.permission_id = p.id
    order by 1"""
    async with at_users(shared, admin) as page:
        await page.open(f"{admin.url}admin/auth/group/add/")
        fields = (await page.offered("add_group")).input_schema["properties"]
        # The fields above the boxes only narrow what these show.
        assert [*fields] == ["name", "permissions", "press"]
        users = "Authentication and Authorization | user | Can {} user"
        wanted = [users.format("view"), users.format("add")]
        assert set(wanted) <= set(fields["permissions"]["items"]["enum"])
        await page.run("add_group", name="Editors", permissions=wanted)
        assert admin.ask(granted) == ["add_user", "view_user"]
        assert "Editors" in str((await page.offered("open_group")).description)
        await page.run("open_group", index=0)
        await page.run("change_group", permissions=[users.format("change"), wanted[0]])
        assert admin.ask(granted) == ["change_user", "view_user"]


async def test_selected_users_are_deleted_after_the_question_whether_to(shared: GatewayProcess, admin: Admin) -> None:
    async with at_users(shared, admin) as page:
        before = admin.usernames()
        told = await page.run("run_action", action="Delete selected users")
        assert "Items must be selected in order to perform actions on them" in told
        assert before[5] in await page.run("select_user", index=5)
        assert "2 of 100 selected" in await page.run("select_user", index=6)
        assert "Delete multiple objects" in await page.run("run_action", action="Delete selected users")
        assert admin.usernames() == before
        assert "Successfully deleted 2 users" in await page.run("yes_im_sure")
        assert admin.usernames() == before[:5] + before[7:]
