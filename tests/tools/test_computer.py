"""computer: what a person does with mouse and keyboard works in a tab nobody looks at, in widgets of every kind."""

import pytest

from tabwright.edges.chrome.extension_files import extension_id
from tests.clients import Agent
from tests.conftest import cdp_of
from tests.gateway import GatewayProcess
from tests.tools.screen import Screen
from tests.tools.told import tab_of, told
from tests.tools.web import Answer, Web

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(agent: Agent, web: Web) -> Screen:
    return Screen(agent, web)


async def test_a_click_by_ref_is_trusted_and_says_what_was_clicked_and_what_came_of_it(screen: Screen) -> None:
    await screen.show("<button onclick=\"this.after(event.isTrusted ? ' All saved' : ' forged')\">Save</button>")
    said = await screen.on("Save", "left_click")
    assert said.startswith('Clicked button "Save" (e')
    assert "All saved" in said


async def test_everything_works_in_a_background_tab_which_stays_there(screen: Screen, shared: GatewayProcess) -> None:
    await screen.show("<p>In front</p>")
    screen.web.answers["/behind"] = """<!doctype html><title>behind</title><body style="margin:0;height:3000px">
        <input aria-label=Word><button onclick="document.title = document.querySelector('input').value">Take</button>"""
    behind = tab_of(await told(screen.agent, "tabs_create_mcp", url=f"{screen.web.url}/behind"))
    with cdp_of(shared) as cdp:
        front = "chrome.tabs.query({ active: true }).then((all) => all.map(({ id }) => id).join())"
        before = cdp.in_extension(extension_id(), front)
        assert str(behind) not in before.split(",")
        outline = await told(screen.agent, "read_page", tabId=behind)
        word, take = (outline.split(f'"{name}" ')[1].split()[0].strip(",") for name in ("Word", "Take"))
        await screen.do("type", ref=word, text="quiet", tabId=behind)
        await screen.do("left_click", ref=take, tabId=behind)
        assert "by 300 px" in await screen.do("scroll", scroll_direction="down", tabId=behind)
        await screen.picture(tabId=behind)
        assert cdp.in_extension(extension_id(), front) == before
        assert cdp.in_page("/behind", "document.title") == "quiet"


async def test_a_tab_that_leaves_the_front_after_a_click_is_drawn_on_at_the_usual_pace(
    screen: Screen, shared: GatewayProcess
) -> None:
    await screen.show("""<button onclick="this.after(' Done')">Go</button><script>
        const frames = (left) => new Promise((done) => {
          const next = () => (left-- ? requestAnimationFrame(next) : done('drawn')); next() })</script>""")
    assert "Done" in await screen.on("Go", "left_click")
    with cdp_of(shared) as cdp:
        other = cdp.in_extension(extension_id(), "chrome.tabs.create({ url: 'about:blank' }).then(({ id }) => id)")
        # a tab that nobody sees, and that is not kept drawn, has one a second
        late = "new Promise((done) => setTimeout(done, 5000, 'late'))"
        for _ in range(3):
            assert await told(screen.agent, "javascript_tool", text=f"Promise.race([frames(30), {late}])") == "drawn"
        cdp.in_extension(extension_id(), f"chrome.tabs.remove({other}).then(() => 0)")


@pytest.mark.parametrize(
    ("action", "seen"),
    [
        ("right_click", ["contextmenu 2"]),
        ("middle_click", ["auxclick 1"]),
        ("double_click", ["click 0", "click 0", "dblclick 0"]),
        ("triple_click", ["click 0", "click 0", "dblclick 0", "click 0"]),
    ],
)
async def test_every_kind_of_click_reaches_the_page(screen: Screen, action: str, seen: list[str]) -> None:
    await screen.show("""<button>Here</button><script>const seen = [];
        for (const type of ['click', 'dblclick', 'contextmenu', 'auxclick']) addEventListener(type, (event) => {
          event.preventDefault(); if (type !== 'auxclick' || event.button === 1) seen.push(`${type} ${event.button}`) })
        </script>""")
    await screen.on("Here", action)
    assert await screen.js("seen") == seen


async def test_modifiers_are_held_during_a_click(screen: Screen) -> None:
    await screen.show("""<button onclick="document.title = [event.ctrlKey, event.shiftKey, event.altKey]">Hold</button>
        <script>const down = []; addEventListener('keydown', ({ key }) => down.push(key));
        addEventListener('keyup', ({ key }) => down.push('-' + key))</script>""")
    await screen.on("Hold", "left_click", modifiers="ctrl+shift")
    assert await screen.js("document.title") == "true,true,false"
    assert await screen.js("down") == ["Control", "Shift", "-Shift", "-Control"]


async def test_nested_menus_open_by_hovering(screen: Screen) -> None:
    await screen.show("""<style>li ul { display: none } li:hover > ul { display: block } li { width: 120px }</style>
        <ul><li tabindex=0 aria-label=File>File<ul><li tabindex=0 aria-label=Export>Export
        <ul><li><button onclick="document.title = 'pdf'">As PDF</button></ul></ul></ul>""")
    await screen.picture()
    await screen.do("hover", coordinate=[60, 32])
    await screen.on("Export", "hover")
    await screen.on("As PDF", "left_click")
    assert await screen.js("document.title") == "pdf"


async def test_what_shows_late_after_the_pointer_has_come_is_told(screen: Screen) -> None:
    # heard far above the element, as frameworks do
    await screen.show("""<main><button>Plain</button><button id=tip>Tip</button></main><script>
        let timer
        document.querySelector('main').addEventListener('mouseover', ({ target }) => {
          clearTimeout(timer)
          if (target.id === 'tip') timer = setTimeout(() => target.after('I am a tip'), 500)
        })</script>""")
    assert "Nothing visible changed" in await screen.on("Plain", "hover")
    assert "“I am a tip”" in await screen.on("Tip", "hover")


async def test_html_drag_and_drop_carries_its_data(screen: Screen) -> None:
    await screen.show("""<button draggable=true id=a style="width:90px;height:90px">Card</button>
        <div role=button tabindex=0 id=b aria-label=Tray style="width:200px;height:150px;background:#ddd"></div><script>
        a.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'ace');
        b.ondragover = (event) => event.preventDefault();
        b.ondrop = (event) => { event.preventDefault(); b.textContent = event.dataTransfer.getData('text/plain') };
        a.ondragend = () => document.title = 'ended';</script>""")
    said = await screen.on("Tray", "left_click_drag", start_ref=await screen.ref("Card"))
    assert said.startswith('Dragged button "Card"')
    assert await screen.js("[b.textContent, document.title]") == ["ace", "ended"]


async def test_a_slider_is_dragged_by_the_pointer(screen: Screen) -> None:
    await screen.show("""<div id=track style="position:relative;width:300px;height:40px;background:#eee">
        <div id=knob role=slider tabindex=0 aria-label=Volume
        style="position:absolute;width:20px;height:40px;background:#000"></div></div><script>
        let moves = 0; knob.onpointerdown = (event) => { knob.setPointerCapture(event.pointerId);
          knob.onpointermove = (move) => { moves++; knob.style.left = move.clientX - 10 + 'px' } };
        knob.onpointerup = () => { knob.onpointermove = null; document.title = knob.style.left };</script>""")
    await screen.do("left_click_drag", start_ref=await screen.ref("Volume"), coordinate=[210, 20])
    assert await screen.js("document.title") == "200px"
    assert await screen.js("moves") > 5


async def test_dragging_and_triple_clicking_select_text(screen: Screen) -> None:
    await screen.show("<p id=p style='font:20px monospace;margin:0'>one two three</p><p>other</p>")
    await screen.do("left_click_drag", start_coordinate=[1, 12], coordinate=[84, 12])
    assert await screen.js("getSelection().toString()") == "one two"
    await screen.do("triple_click", coordinate=[30, 12])
    assert (await screen.js("getSelection().toString()")).strip() == "one two three"
    await screen.do("double_click", coordinate=[60, 12])
    assert (await screen.js("getSelection().toString()")).strip() == "two"


async def test_a_range_is_set_by_keys_in_one_call(screen: Screen) -> None:
    await screen.show("<input type=range min=0 max=50 value=10 aria-label=Size>")
    said = await screen.on("Size", "key", text="Right*12 Down")
    assert await screen.js("document.querySelector('input').value") == "21"
    assert 'holds "21"' in said


async def test_typing_fires_real_key_events_and_writes_any_script(screen: Screen) -> None:
    await screen.show("""<input aria-label=Word><script>const keys = [];
        addEventListener('keydown', (event) => keys.push(event.key + (event.shiftKey ? '^' : '')))</script>""")
    text = "Hi! Zoë 日本 👩\u200d👩\u200d👧 ٣"
    said = await screen.on("Word", "type", text=text)
    # told as numbers: answers are cleaned of what nobody sees
    assert await screen.js("[...document.querySelector('input').value].map((each) => each.codePointAt(0))") == [
        ord(each) for each in text
    ]
    assert (await screen.js("keys"))[:3] == ["H^", "i", "!^"]
    assert said.startswith('Typed "Hi! Zoë')


async def test_typing_replaces_the_selection_and_enter_submits(screen: Screen) -> None:
    await screen.show("""<form onsubmit="document.title = this.q.value; return false">
        <input name=q aria-label=Find value="old words"></form>""")
    await screen.on("Find", "triple_click")
    await screen.do("type", text="new\n")
    assert await screen.js("document.title") == "new"


async def test_a_contenteditable_takes_lines_and_keys(screen: Screen) -> None:
    await screen.show("<div contenteditable role=textbox aria-label=Note style='height:100px'>Old</div>")
    await screen.on("Note", "left_click")
    await screen.do("key", text="ctrl+a Delete")
    said = await screen.do("type", text="First\nSecond é")
    assert await screen.js("document.querySelector('div').innerText") == "First\nSecond é"
    assert 'into textbox "Note"' in said


async def test_copying_pasting_and_undoing_work_by_keys(screen: Screen) -> None:
    await screen.show("<input aria-label=From value=carried><input aria-label=To>")
    await screen.on("From", "key", text="ctrl+a ctrl+c")
    await screen.on("To", "key", text="cmd+v")
    assert await screen.js("[...document.querySelectorAll('input')].map((each) => each.value)") == [
        "carried",
        "carried",
    ]
    await screen.do("key", text="ctrl+z")
    assert await screen.js("document.querySelectorAll('input')[1].value") == ""


async def test_long_text_is_typed_at_once(screen: Screen) -> None:
    await screen.show("<textarea aria-label=Essay></textarea>")
    text = "\n".join(f"Line {number} of a long text." for number in range(120))
    await screen.on("Essay", "type", text=text)
    assert await screen.js("document.querySelector('textarea').value") == text


async def test_typing_where_nothing_takes_text_says_so(screen: Screen) -> None:
    await screen.show("<p>Nothing here</p>")
    assert "nothing that takes text has the caret" in await screen.do("type", text="lost")


async def test_a_password_is_never_told(screen: Screen) -> None:
    await screen.show("<input type=password aria-label=Secret>")
    said = await screen.on("Secret", "type", text="hunter2")
    assert "hunter2" not in said
    assert await screen.js("document.querySelector('input').value") == "hunter2"


SHOW = """<label>Word <input id=x type=password name=word></label>
<button type=button onclick="x.type = x.type == 'text' ? 'password' : 'text'">Show</button>"""


async def test_a_password_that_the_page_shows_is_still_one(screen: Screen) -> None:
    await screen.show(SHOW)
    await screen.on("Show", "left_click")
    assert await screen.js("x.type") == "text"
    said = await screen.on("Word", "type", text="S3cretPw!")
    assert "Typed 9 characters" in said
    said += await told(screen.agent, "read_page") + await told(screen.agent, "get_page_text")
    said += await screen.do("key", text="End")
    assert "S3cret" not in said
    assert await screen.js("x.value") == "S3cretPw!"


async def test_a_password_is_known_though_nobody_read_the_page_before_it_was_shown(screen: Screen) -> None:
    await screen.show(SHOW)
    await screen.picture()
    x, y = await screen.js(
        "(({x, y, width, height}) => [x + width / 2, y + height / 2])"
        "(document.querySelector('button').getBoundingClientRect())"
    )
    await screen.do("left_click", coordinate=[x, y])
    assert await screen.js("x.type") == "text"
    assert "S3cret" not in await screen.on("Word", "type", text="S3cretPw!")


async def test_a_field_put_in_the_place_of_a_password_is_one(screen: Screen) -> None:
    await screen.show("""<div id=box><input aria-label=Word type=password name=word></div><button
        onclick="box.innerHTML = '<input aria-label=Word name=word>'">Show</button>""")
    await screen.on("Show", "left_click")
    assert "S3cret" not in await screen.on("Word", "type", text="S3cretPw!")


async def test_suggestions_are_chosen_by_keys(screen: Screen) -> None:
    await screen.show("""<input aria-label=City oninput="hits.innerHTML = ['Rome', 'Rostock', 'Riga'].filter((each) =>
          each.toLowerCase().startsWith(this.value.toLowerCase())).map((each) => `<li>${each}</li>`).join(''); at = -1"
        onkeydown="if (event.key === 'ArrowDown') at++;
          if (event.key === 'Enter') { this.value = hits.children[at].textContent; hits.innerHTML = '' }">
        <ul id=hits></ul><script>let at = -1</script>""")
    await screen.on("City", "type", text="ro")
    await screen.do("key", text="Down Down Enter")
    assert await screen.js("document.querySelector('input').value") == "Rostock"


async def test_a_date_picker_made_of_buttons_is_clicked_through(screen: Screen) -> None:
    await screen.show("""<input aria-label=Date readonly onclick="picker.hidden = false"><div id=picker hidden>
        <button onclick="month++; draw()">Next month</button><span id=head></span><div id=days></div></div><script>
        const field = document.querySelector('input'); let month = 0;
        const draw = () => { head.textContent = ['January', 'February', 'March'][month]; days.innerHTML = '';
          for (let day = 1; day < 29; day++) { const cell = document.createElement('button'); cell.textContent = day;
            cell.onclick = () => { field.value = `${head.textContent} ${day}`; picker.hidden = true };
            days.append(cell) } }; draw()</script>""")
    await screen.on("Date", "left_click")
    await screen.on("Next month", "left_click")
    await screen.on("17", "left_click")
    assert await screen.js("document.querySelector('input').value") == "February 17"


async def test_a_canvas_is_clicked_by_coordinates_of_the_last_image(screen: Screen) -> None:
    await screen.show("""<canvas width=400 height=300 style="display:block"
        onclick="document.title = [event.offsetX, event.offsetY]"></canvas>""")
    await screen.picture()
    said = await screen.do("left_click", coordinate=[123, 45])
    assert await screen.js("document.title") == "123,45"
    assert "canvas" in said


async def test_a_native_list_is_focused_and_the_way_to_choose_named(screen: Screen) -> None:
    await screen.show("<select aria-label=Country><option>Chile<option>Peru</select>")
    said = await screen.on("Country", "left_click")
    assert "not opened" in said
    assert "Chile, Peru" in said
    assert "form_input" in said
    await screen.do("key", text="Down")
    assert await screen.js("document.querySelector('select').value") == "Peru"
    assert "not opened" in await screen.do("left_click", coordinate=[20, 10])


async def test_options_in_sight_are_clicked_and_a_colour_picker_is_not_opened(screen: Screen) -> None:
    await screen.show("""<select multiple aria-label=Toppings><option>Olives<option>Basil</select>
        <input type=color aria-label=Ink>""")
    await screen.on("Toppings", "key", text="Home")
    await screen.do(
        "left_click",
        coordinate=await screen.js("""((box) => [box.x + 10, box.y + box.height / 2])
        (document.querySelectorAll('option')[1].getBoundingClientRect())"""),
    )
    assert await screen.js("[...document.querySelector('select').selectedOptions].map((each) => each.value)") == [
        "Basil"
    ]
    assert "Set it with form_input" in await screen.on("Ink", "left_click")


async def test_no_window_of_the_system_opens_for_a_file(screen: Screen) -> None:
    await screen.show("""<input type=file aria-label=Paper>
        <button onclick="document.querySelector('input').click()">Attach</button>""")
    error = await screen.refused("left_click", ref=await screen.ref("Paper"))
    assert "file_upload" in error["next"]
    assert "file_upload" in await screen.on("Attach", "left_click")
    assert await screen.js("isSecureContext")
    await screen.show("<button onclick='showOpenFilePicker().catch(() => {})'>Open</button>")
    said = await screen.on("Open", "left_click")
    assert "only a person can answer" in said
    assert "file_upload" not in said


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"action": "left_click"}, "left_click needs ref or coordinate"),
        ({"action": "left_click", "ref": "e1", "coordinate": [1, 2]}, "Both a ref and a coordinate"),
        ({"action": "left_click", "coordinate": [1]}, "coordinate: "),
        ({"action": "left_click", "ref": "e1", "text": "x"}, "left_click does not use text"),
        ({"action": "left_click_drag", "ref": "e1"}, "needs start_ref or start_coordinate"),
        ({"action": "scroll"}, "scroll needs scroll_direction"),
        ({"action": "scroll_to"}, "scroll_to needs ref"),
        ({"action": "type"}, "type needs text"),
        ({"action": "key", "text": "Entr"}, "No key is called 'Entr'. Did you mean Enter"),
        ({"action": "key", "text": "Down", "repeat": 0}, "repeat: "),
        ({"action": "wait", "duration": 11}, "duration: "),
        ({"action": "zoom"}, "zoom needs region"),
        ({"action": "dance"}, "action: "),
        ({"action": "left_click", "ref": "button"}, "'button' is not a ref"),
        ({"action": "left_click", "ref": "e1", "modifiers": "hyper"}, "'hyper' is not a modifier"),
        ({"action": "left_click", "ref": "e99999"}, "e99999 is not on the page any more"),
    ],
)
async def test_wrong_arguments_are_refused_with_the_reason(
    screen: Screen, arguments: dict[str, object], problem: str
) -> None:
    await screen.show("<button>Some</button>")
    error = await screen.agent.refused("computer", **arguments)
    assert problem in f"{error['message']} {error['next']}"


@pytest.mark.parametrize("printing", ["print()", "frames[0].print()"])
async def test_no_print_window_opens_over_a_page_that_an_agent_works_in(screen: Screen, printing: str) -> None:
    noting = "<script>onbeforeprint = () => { parent.printed = true }</script>"
    screen.web.answers["/framed"] = noting
    await screen.show(f"""{noting}<iframe src=/framed></iframe>
        <button onclick="{printing}; this.textContent = 'Done'">Print</button>""")
    said = await screen.on("Print", "left_click")
    assert "It asked to print; no window was opened." in said
    assert "Done" in said
    assert await screen.js("window.printed") is None


async def test_a_person_prints_as_ever(screen: Screen, shared: GatewayProcess) -> None:
    await screen.show("<title>Paper</title><script>onbeforeprint = () => { window.printed = true }</script>")
    with cdp_of(shared) as cdp:
        page = await screen.js("location.pathname")
        assert cdp.in_page(page, "print(), window.printed") is True
        assert cdp.in_page(page, "Function.prototype.toString.call(print).includes('[native code]')") is True


@pytest.mark.parametrize("href", ["foo:bar", "tel:123", "mailto:a@b.test"])
async def test_a_link_for_another_program_is_told_as_such_and_the_next_click_works(screen: Screen, href: str) -> None:
    await screen.show(f"""<a href="{href}">Out</a> <button onclick="this.textContent += '!'">Go</button>""")
    out, go = await screen.ref("Out"), await screen.ref("Go")
    for clicks in range(1, 4):
        assert f"{href} is for another program to open" in await screen.do("left_click", ref=out)
        await screen.do("left_click", ref=go)
        assert await screen.js("document.querySelector('button').textContent") == "Go" + "!" * clicks


async def test_a_script_that_asks_for_another_program_is_told_as_such(screen: Screen) -> None:
    await screen.show("<button onclick=\"location.href = 'foo:bar'\">Call</button>")
    assert "foo:bar is for another program to open" in await screen.on("Call", "left_click")
    assert await screen.js("document.title") == "screen"


@pytest.mark.parametrize("status", [404, 500])
async def test_a_click_that_leads_to_an_error_tells_its_status(screen: Screen, status: int) -> None:
    screen.web.answers[f"/broken{status}"] = Answer("<title>Oops</title>", status)
    await screen.show(f"<a href='/broken{status}'>Broken</a>")
    assert f"The server answered HTTP {status}." in await screen.on("Broken", "left_click")


async def test_text_that_does_not_stick_is_an_error_with_what_the_field_holds(screen: Screen) -> None:
    await screen.show("""<input aria-label=Stub value=old oninput="this.value = 'old'">
        <input aria-label=Upper oninput="this.value = this.value.toUpperCase()">
        <input aria-label=Chat onkeydown="if (event.key == 'Enter') { this.after(this.value); this.value = '' }">""")
    stub = await screen.ref("Stub")
    for action, text in (("type", "hello"), ("key", "h")):
        error = await screen.refused(action, ref=stub, text=text)
        assert 'It did not stick: textbox "Stub" holds "old".' in error["message"]
    assert 'holds "HELLO"' in await screen.on("Upper", "type", text="hello")
    assert "hello" in await screen.on("Chat", "type", text="hello\n")
