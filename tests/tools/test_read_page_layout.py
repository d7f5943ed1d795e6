"""read_page: shadow roots, frames, dialogs and rows stand where a person sees them, in as few lines as will do."""

import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.outlines import outline, refs, visit, without_refs
from tests.tools.told import told

pytestmark = pytest.mark.browser


async def test_shadow_roots_and_slots_stand_where_they_show(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<x-open><button slot=b>Second</button><button slot=a>First</button><button>Not shown</button></x-open>
        <x-closed></x-closed><div id=host></div><button>Last</button><script>
        const fill = (host, mode, html) => { host.attachShadow({ mode }).innerHTML = html; };
        const slots = '<slot name=a></slot><a href="#">Between</a><slot name=b></slot>';
        fill(document.querySelector('x-open'), 'open', slots);
        fill(document.querySelector('x-closed'), 'closed', '<input aria-label="In the dark"><x-inner></x-inner>');
        fill(host, 'closed', '<p id=deep>Deep word</p>');
        </script>""",
    )
    lines = await outline(agent)
    assert without_refs(lines) == [
        'button "First"',
        'link "Between"',
        'button "Second"',
        'textbox "In the dark"',
        'button "Last"',
    ]


async def test_a_page_may_be_as_deep_as_browsers_make_any_mark_up(agent: Agent, site: Site) -> None:
    await visit(agent, site, f"{'<div>' * 600}<button>Deep</button><p id=deep>Deep word</p>")
    assert without_refs(await outline(agent)) == ['button "Deep"']


async def test_frames_stand_in_place_whoever_they_belong_to(agent: Agent, site: Site) -> None:
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/inner"] = "<button>Innermost</button>"
    site.pages["/foreign"] = f"<button>Foreign</button><iframe title=Deep src='{site.url}/inner'></iframe>"
    site.pages["/own"] = "<input aria-label=Own>"
    await visit(
        agent,
        site,
        f"""<button>Before</button><iframe title=Mine src=/own></iframe><button>Between</button>
        <iframe title=Theirs src='{other}/foreign'></iframe><button>After</button>""",
    )
    text = "\n".join(without_refs(await outline(agent)))
    assert text == "\n".join(
        [
            'button "Before"',
            'iframe "Mine": textbox "Own"',
            'button "Between"',
            f'iframe "Theirs" ({other})',
            'button "Foreign"',
            'iframe "Deep": button "Innermost"',
            'button "After"',
        ]
    )


async def test_what_lies_over_the_page_comes_first(agent: Agent, site: Site) -> None:
    site.pages["/over"] = "<button>In frame</button><dialog open aria-label=There><button>Ok</button></dialog>"
    await visit(
        agent,
        site,
        """<button>Page</button><div role=dialog aria-label=Cookies><button>Accept</button></div>
        <div popover id=p><button>Popped</button></div><iframe src=/over></iframe><script>p.showPopover()</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'dialog "Cookies": button "Accept"',
        'popover: button "Popped"',
        'button "Page"',
        "iframe",
        'dialog "There": button "Ok"',
        'button "In frame"',
    ]


async def test_a_modal_dialog_hides_what_it_keeps_from_being_used(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<button>Page</button><a href="#">Link</a><dialog id=d aria-label=Sure><button>Yes</button></dialog>
        <script>d.showModal()</script>""",
    )
    text = await told(agent, "read_page")
    assert re.search(r'dialog "Sure".*button "Yes" e\d+ focused', text)
    assert '"Page"' not in text
    assert "Modal: 2 elements behind it cannot be used." in text


async def test_rows_are_told_by_what_tells_them_apart(agent: Agent, site: Site) -> None:
    rows = "".join(
        f"<tr><td><input type=checkbox aria-label='Select user{n:03}' {'checked' if n == 7 else ''}>"
        f"<td><a href=#>user{n:03}</a><td>mail{n}@example.org<td><button>Edit</button>"
        for n in range(60)
    )
    await visit(agent, site, f"<table aria-label=Users>{rows}</table>")
    lines = await outline(agent)
    assert len(refs(lines)) >= 180
    assert re.fullmatch(r'table "Users" e\d+', lines[0])
    assert without_refs(lines)[1] == (
        'row "user000 mail0@example.org": checkbox "Select user000", link "user000", button "Edit"'
    )
    assert lines[3].startswith('rows 3–60, each checkbox "Select …", link, button "Edit": ')
    assert re.search(r'; e\d+ checked "user007" e\d+ e\d+; ', lines[3])


async def test_controls_called_alike_say_what_stands_beside_them(agent: Agent, site: Site) -> None:
    await visit(
        agent,
        site,
        """<div><div><span>First thing</span><p><button>Remove</button></p></div>
        <div><span>Second thing</span><p><button>Remove</button></p></div></div>
        <div><div><b>Ann</b> <a href=/1>Edit</a></div><div><b>Bob</b> <i><a href=/2>Edit</a></i></div></div>
        <div>Of <a href=/x>int</a></div><div>Or <code><a href=/x>int</a></code> again</div>
        <div><section><h3>Red</h3><a href=/r>More</a></section><section><h3>Blue</h3><a href=/b>More</a></section></div>
        <div><div><i>Same</i><button>Twice</button></div><div><i>Same</i><button>Twice</button></div></div>
        <div><p>Name <input></p><p><b>Age</b> <button>Reset</button></p></div><p><b>Level</b> <button>Reset</button></p>
        <button>Bare</button><button>Bare</button><button>Alone</button>""",
    )
    assert without_refs(await outline(agent)) == [
        'buttons "Remove" in "First thing"; in "Second thing"',
        'links "Edit" in "Ann"; in "Bob"; "int", "int"',
        'h3 "Red"',
        'link "More"',
        'h3 "Blue"',
        'link "More"',
        'buttons "Twice", "Twice"',
        'textbox "Name"',
        'buttons "Reset" in "Age"; in "Level"; "Bare", "Bare", "Alone"',
    ]
    assert '"Remove" e1\n' in await told(agent, "read_page", filter="all")


async def test_what_every_part_offers_to_press_is_not_among_the_words_beside_it(agent: Agent, site: Site) -> None:
    parts = "".join(
        f"<div><p>{said}</p><button aria-label=React>+</button><button>Reply</button></div>"
        for said in ("Hello there", "Replying late")
    )
    await visit(agent, site, parts)
    assert without_refs(await outline(agent)) == ['buttons "React", "Reply" in "Hello there";, in "Replying late"']


async def test_controls_in_something_clicked_do_not_repeat_what_it_says(agent: Agent, site: Site) -> None:
    cards = "".join(
        f"<div class=card><p>{name}</p><button>Message</button> <button>View</button></div>" for name in ("Ann", "Bob")
    )
    await visit(
        agent,
        site,
        f"""{cards}<script>for (const card of document.querySelectorAll('.card'))
        card.onclick = () => {{ document.title = card.innerText }}</script>""",
    )
    assert without_refs(await outline(agent)) == [
        'clickable "Ann Message View"',
        'buttons "Message", "View"',
        'clickable "Bob Message View"',
        'buttons "Message", "View"',
    ]


async def test_controls_called_alike_with_nothing_beside_them_say_their_tooltips(agent: Agent, site: Site) -> None:
    pins = "".join(f'<img role=button tabindex=0 alt=Marker title="{name}">' for name in ("Oxford", "Poole"))
    await visit(agent, site, f"<div>{pins}</div><button title=Same>Go</button> <button title=Same>Go</button>")
    assert without_refs(await outline(agent)) == [
        'buttons "Marker" in "Oxford"; in "Poole"; "Go", "Go"',
    ]


async def test_ten_thousand_rows_are_held_by_ranges_within_the_limit(agent: Agent, site: Site) -> None:
    rows = "".join(f"<tr><td><a href=#>user{number:05}</a><td>x" for number in range(10_000))
    await visit(agent, site, f"<button>First</button><table>{rows}</table><button>Last</button>")
    text = await told(agent, "read_page")
    assert len(text) < 31_000
    assert "10,002 clickable elements" in text
    lines = text.splitlines()
    assert len(refs(lines)) >= 10_002
    assert any(line.startswith('button "Last" e') for line in lines)
    assert re.search(r'"user09999" e\d+', text)
