"""What an answer says of its effect: what came, what went, what changed in place; and nothing that is not so."""

import itertools
import re
import threading

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told
from tests.tools.web import Answer, Web

pytestmark = pytest.mark.browser

_paths = itertools.count()

UNCHANGED = "The page changed, with no new text."


async def clicked(agent: Agent, site: Site, html: str, action: str = "left_click") -> str:
    """What is said after the first button of a page was clicked, without the line that names it."""
    path = f"/changes/{next(_paths)}"
    site.pages[path] = f"<!doctype html><title>A page</title>{html}"
    await told(agent, "navigate", url=site.url + path)
    found = re.search(r"^(e\d+)", await told(agent, "find", query="button"), re.MULTILINE)
    assert found is not None
    return (await told(agent, "computer", action=action, ref=found[1])).partition("\n")[2]


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<button onclick='n.textContent++'>+</button><p>Count: <b id=n>1</b></p>", "New on the page: “Count: 2”."),
        (
            "<button onclick='n.lastChild.data = 2'>+</button><p id=n></p><script>n.append('Count: ', 1)</script>",
            "New on the page: “Count: 2”.",
        ),
        ("<button onclick='n.firstChild.data = 42'>+</button><p id=n>7</p>", "New on the page: “42”."),
        ("<button onclick='n.textContent++'>+</button><p id=n>0</p>", "New on the page: “1”."),
        ("<button onclick='c.textContent = `X`'>Play</button><table><td id=c></table>", "New on the page: “X”."),
        ("<button onclick='c.textContent = `·`'>Dot</button><p id=c>", UNCHANGED),
        (
            "<style>#m { display: none } #m.open { display: block }</style>"
            "<button onclick='m.className = `open`'>Open</button><div id=m>Here is a menu</div>",
            "New on the page: “Here is a menu”.",
        ),
        ("<button onclick='i.remove()'>Drop</button><ul><li id=i>One<li>Two</ul>", "Gone from the page: “One”."),
    ],
    ids=[
        "a number",
        "a number of a framework",
        "a bare number",
        "a digit",
        "a letter",
        "a dot",
        "what a class shows",
        "what went",
    ],
)
async def test_what_changed_in_place_is_told_with_its_words(agent: Agent, site: Site, html: str, said: str) -> None:
    assert await clicked(agent, site, html) == said


@pytest.mark.parametrize(
    "html",
    [
        "<style>li { text-transform: uppercase }</style>"
        "<button onclick='l.innerHTML = l.innerHTML'>Again</button><ul id=l><li>Item <b>one</b></ul>",
        "<button onclick='l.innerHTML = `<p>Name</p><p>Ann</p>`'>Again</button>"
        "<div id=l><span>Name</span><span>Ann</span></div>",
        "<button onclick='l.className = `on`; l.append(``, new Comment(`v-if`))'>Go</button><p id=l>Words here",
        "<button onclick='x.remove()'>Drop</button><div id=x hidden>A template</div>",
        "<style>.t { display: none }</style><button onclick='x.remove()'>Drop</button>"
        "<div class=t><p id=x>A template</p></div>",
        "<script>const rule = () => { const s = document.createElement('style'); s.textContent = 'b { color: red }';"
        "document.head.append(s); s.remove() }</script><button onclick='rule()'>Style</button>",
        "<script>const blink = () => { n.textContent = 'Saving'; setTimeout(() => { n.textContent = 'Saved' }, 20) }"
        "</script><button onclick='blink()'>Save</button><p id=n>Saved</p>",
    ],
    ids=[
        "drawn anew",
        "drawn otherwise",
        "marks without words",
        "hidden",
        "hidden by what it is in",
        "a style",
        "and back again",
    ],
)
async def test_what_is_as_it_was_is_neither_new_nor_gone(agent: Agent, site: Site, html: str) -> None:
    assert await clicked(agent, site, html) == UNCHANGED


async def test_a_menu_that_only_a_style_opens_is_told(agent: Agent, site: Site) -> None:
    html = """<style>ul { display: none } nav:hover ul { display: block }</style>
        <nav><button>File</button><ul><li><a href=#>Save as</a><li><a href=#>Print</a></ul></nav>"""
    said = await clicked(agent, site, html, "hover")
    assert re.sub(r"e\d+", "e", said) == 'New on the page: links "Save as" e, "Print" e.'


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (
            "<button aria-pressed=false onclick='this.ariaPressed = true'>Bold</button>",
            "It is now pressed.",
        ),
        (
            "<button aria-expanded=false onclick='this.ariaExpanded = true'>More</button>",
            "It is now expanded.",
        ),
        (
            "<div role=switch tabindex=0 aria-checked=true onclick='this.ariaChecked = false'>Dark button</div>",
            "It is now not checked.",
        ),
        ("<label><input type=checkbox> News button</label>", "It is now checked."),
        (
            "<input id=c type=checkbox style='opacity: 0; position: absolute'><label for=c>Dark button</label>",
            "It is now checked.",
        ),
    ],
    ids=["pressed", "expanded", "switched off", "checked", "drawn by its label"],
)
async def test_a_control_says_into_what_it_was_turned(agent: Agent, site: Site, html: str, said: str) -> None:
    assert await clicked(agent, site, html) == said


@pytest.mark.parametrize(
    "around",
    [
        "<div style='height: 3000px'></div>{}",
        "<div style='height: 90px; overflow: auto'><p style='height: 900px'></p>{}</div>",
    ],
    ids=["the page", "a part of it"],
)
async def test_what_is_scrolled_to_reach_a_control_is_not_told_as_done_by_it(
    agent: Agent, site: Site, around: str
) -> None:
    # one that nothing names, and one that does nothing
    for control, said in [
        ("<input type=checkbox>", "The checkbox is now checked."),
        ("<button>Idle</button>", "Nothing visible changed."),
    ]:
        path = f"/changes/{next(_paths)}"
        site.pages[path] = f"<!doctype html><title>A page</title>{around.format(control)}"
        await told(agent, "navigate", url=site.url + path)
        found = re.search(r"(?:checkbox|button)[^\n]*?\b(e\d+)", await told(agent, "read_page", filter="interactive"))
        assert found is not None
        assert (await told(agent, "computer", action="left_click", ref=found[1])).partition("\n")[2] == said


@pytest.mark.parametrize(
    "late",
    [
        "setTimeout(show, 15)",
        "setTimeout(() => setTimeout(show, 12), 0)",
        "n.textContent = 'Wait', setTimeout(show, 15)",
        "requestAnimationFrame(() => requestAnimationFrame(show))",
        "n.textContent = 'Wait', requestAnimationFrame(show)",
        "n.textContent = 'Wait', new ResizeObserver(show).observe(n)",
        "requestIdleCallback(show)",
        "Promise.resolve().then(() => new Promise((done) => setTimeout(done, 10))).then(show)",
        "new MessageChannel().port1.postMessage(0), queueMicrotask(() => setTimeout(show, 8))",
        "fetch('/late').then((answer) => answer.text()).then(show)",
        "n.textContent = 'Wait', fetch('/late').then((answer) => answer.text()).then(show)",
        "setTimeout(() => fetch('/late').then((answer) => answer.text()).then(show), 25)",
        "n.textContent = 'Wait', setTimeout(show, 18)",
        "setTimeout(show, 100)",
        "this.className = 'pressed', setTimeout(show, 400)",
        "setTimeout(() => fetch('/late').then((answer) => answer.text()).then(show), 300)",
    ],
    ids=[
        *("timer", "timers", "change and timer", "frames", "change and frame", "change and size", "idle"),
        *("promise", "microtask", "fetch", "change and fetch", "timer and fetch", "change and later timer"),
        *("long timer", "look and long timer", "long timer and fetch"),
    ],
)
async def test_what_comes_a_moment_later_is_told_too(agent: Agent, site: Site, late: str) -> None:
    site.pages["/late"] = "an answer"
    script = "<script>const show = () => { n.textContent = 'It is done' }</script>"
    said = await clicked(agent, site, f'<p id=n></p>{script}<button onclick="{late}">Go</button>')
    assert said == "New on the page: “It is done”."


@pytest.mark.parametrize("promise", ["Loading", "Wird gespeichert…", "Please wait", "Searching 3 shops..."])
async def test_what_a_page_promises_is_waited_for(agent: Agent, site: Site, promise: str) -> None:
    late = f"n.textContent = '{promise}', setTimeout(() => {{ n.textContent = 'It is done' }}, 900)"
    said = await clicked(agent, site, f'<p id=n></p><button onclick="{late}">Go</button>')
    assert said == "New on the page: “It is done”."


async def test_what_a_page_lists_is_no_promise_however_its_parts_end(agent: Agent, site: Site) -> None:
    posts = "".join(f"<p>Post {number} of a blog of three</p><a href=/>Read more…</a>" for number in range(3))
    late = f"n.innerHTML = '{posts}', setTimeout(() => {{ n.textContent = 'Second' }}, 900)"
    said = await clicked(agent, site, f'<p id=n></p><button onclick="{late}">Go</button>')
    assert "Post 2 of a blog of three" in said


async def test_what_a_page_shows_without_a_promise_is_told_at_once(agent: Agent, site: Site) -> None:
    late = "n.textContent = 'First', setTimeout(() => { n.textContent = 'Second' }, 900)"
    said = await clicked(agent, site, f'<p id=n></p><button onclick="{late}">Go</button>')
    assert said == "New on the page: “First”."


async def test_what_a_page_shows_two_frames_later_is_told_however_late_they_are(agent: Agent, site: Site) -> None:
    show = "const show = () => { n.textContent = `It is done, ${++i}` }"
    late = "n.textContent = 'Wait', requestAnimationFrame(() => requestAnimationFrame(show))"
    site.pages["/frames"] = f'<p id=n></p><script>let i = 0; {show}</script><button onclick="{late}">Go</button>'
    await told(agent, "navigate", url=site.url + "/frames")
    found = re.search(r"^(e\d+)", await told(agent, "find", query="button"), re.MULTILINE)
    assert found is not None
    for time in range(1, 25):
        assert f"It is done, {time}" in await told(agent, "computer", action="left_click", ref=found[1])


async def test_what_comes_a_moment_later_is_told_beside_turns_that_the_page_takes_anyway(
    agent: Agent, site: Site
) -> None:
    script = "<script>let i = 0; setInterval(() => { for (const _ of Array(20)) console.log(i++) }, 10)</script>"
    late = "n.textContent = 'Wait', setTimeout(() => { n.textContent = 'It is done' }, 18)"
    said = await clicked(agent, site, f'<p id=n></p>{script}<button onclick="{late}">Go</button>')
    assert said == "New on the page: “It is done”."


@pytest.mark.parametrize("move", ["history.pushState({}, ``, `#/list`)", "location.hash = `/list`"])
async def test_another_address_is_told_with_what_stands_there(agent: Agent, site: Site, move: str) -> None:
    late = "setTimeout(() => { h.textContent = `List` }, 100)"
    html = f"<h1 id=h>Home</h1><button onclick='{move}; {late}'>Go</button>"
    assert re.search(r"#/list\.\nThe heading is now “List”", await clicked(agent, site, html))


async def test_a_link_to_a_part_of_the_page_is_told(agent: Agent, site: Site) -> None:
    html = "<button onclick='location.hash = `part`'>Go</button><p style='height: 5000px'><h2 id=part>Part</h2>"
    assert "#part." in await clicked(agent, site, html)


@pytest.mark.parametrize("late_s", [0.5, None], ids=["a moment", "for ever"])
async def test_a_page_that_a_click_led_to_is_there_or_told_to_be_loading(
    agent: Agent, site: Site, web: Web, late_s: float | None
) -> None:
    rest = threading.Event()
    web.answers["/half"] = Answer(
        f"<!doctype html><title>Half</title><!--{' ' * 3_000}--><button>Go on</button>", rest_after=rest
    )
    if late_s is not None:
        threading.Timer(late_s, rest.set).start()
    try:
        said = await clicked(agent, site, f"<button onclick='location = `{web.url}/half`'>Go</button>")
        assert ("still loading" in said) is (late_s is None)
        assert ("Go on" in await told(agent, "read_page")) is (late_s is not None)
    finally:
        rest.set()


async def test_what_a_page_says_as_it_comes_is_told(agent: Agent, site: Site) -> None:
    site.pages["/changes/done"] = (
        "<!doctype html><title>Done</title><h1>Posts</h1><div class=notice><p>1 post moved</div>"
    )
    said = await clicked(agent, site, "<form action=/changes/done><button>Move</button></form>")
    assert "The page says: “1 post moved”." in said


async def test_another_control_that_was_turned_is_named(agent: Agent, site: Site) -> None:
    html = "<button onclick='c.click()'>A button</button><label><input type=checkbox id=c>News</label>"
    assert await clicked(agent, site, html) == "checkbox “News” is now checked."


async def test_a_switch_set_by_form_input_is_told_once(agent: Agent, site: Site) -> None:
    site.pages["/changes/switch"] = (
        "<div role=switch tabindex=0 aria-label=Dark aria-checked=false onclick='this.ariaChecked = true'>o</div>"
    )
    await told(agent, "navigate", url=site.url + "/changes/switch")
    found = re.search(r"^(e\d+)", await told(agent, "find", query="switch"), re.MULTILINE)
    assert found is not None
    assert await told(agent, "form_input", ref=found[1], value=True) == f'"Dark" ({found[1]}) is now on.'


async def test_what_a_page_complains_of_as_it_comes_is_told_once(agent: Agent, site: Site) -> None:
    form = "<form><p class=error>The password is wrong.</p><input title=User><input title=Key></form>"
    site.pages["/changes/wrong"] = f"<title>Log in</title>{form}"
    said = await clicked(agent, site, "<button onclick='location = `/changes/wrong`'>Log in</button>")
    assert re.search(
        r'\nErrors: The password is wrong\.\nTo correct: textbox "User" e\d+, textbox "Key" e\d+\.$', said
    ), said


async def test_beside_what_came_in_a_frame_it_is_not_told_that_the_page_shows_nothing(agent: Agent, site: Site) -> None:
    site.pages["/changes/frame"] = (
        "<body><button onclick='o.textContent = `Card accepted`; parent.b.className = `x`'>Check</button><p id=o></p>"
    )
    said = await clicked(agent, site, "<p id=b>Pay</p><iframe src=/changes/frame></iframe>")
    assert said == "New on the page: “Card accepted”."
