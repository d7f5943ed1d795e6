"""find: what people say of rows and their buttons, of icons, columns, prices and files, and in other languages."""

import itertools
import re

import pytest

from tests.clients import Agent
from tests.conftest import Site
from tests.tools.told import told

pytestmark = pytest.mark.browser

_paths = itertools.count()

PROJECTS = "".join(
    f"<tr><td>{name}<td><a href='/c/{number}'>{owner}</a><td><a href='/e/{number}'>Edit</a></tr>"
    for number, (name, owner) in enumerate((("Apollo", "Ann"), ("Borealis", "Bob"), ("Comet", "Cleo")), 1)
)
ALERTS = "".join(
    f"<div class=alert tabindex=0 onclick=1><b>{name}</b> <button id={name}>Silence</button></div>"
    for name in ("HighLoad", "DiskFull")
)
MENU = "<nav><a href=/k>Customers</a> <a href=/p>Projects</a> <a href=/new>Project edit</a></nav>"
TABLE = f"{MENU}<table><thead><tr><th>Name<th>Customer<th></tr></thead><tbody>{PROJECTS}</tbody></table>"
POSTS = """<div class=post><a href=/a>Ann Lee</a><p>Hello</p></div>
<div class=post><a href=/b>Sarah Ross</a><p>Hi</p><form><input placeholder=Response></form></div>"""
PAGER = "<a href=/pages>Pages</a><ul class=pagination><li><a href=?1>1</a><li><a href=?2>2</a><li><a href=?3>3</a></ul>"
CRUMBS = "<nav><a href=/>Home</a></nav><ol class=breadcrumb><li><a href=/b>Home</a> of mail<li>Inbox</ol>"
BLOCKS = """<button><img alt=""> Insert</button><button><img alt=""> Undo</button>
<div role=listbox><button role=option>Gallery</button><button role=option>Image</button>
<button role=option>Table</button></div>"""
CHECKOUT = """<a href=/>Teehaus</a> <a href=/l>Abmelden</a><label>Vorname <input></label><label>PLZ <input></label>"""

ICON = "display:inline-block;width:20px;height:20px"
LAPTOPS = "".join(
    f"""<div class=tile><h4><a href=/{name}>{name}</a></h4>★★★★☆ <a href=/{name}/r>{count} reviews</a> <b>{price}</b>
<span class=heart style='{ICON}' onclick=1 title='Save for later'></span>
<label><input type=checkbox> Compare</label></div>"""
    for name, count, price in (("Thinkbook", 128, "€1,199.00"), ("Zenbook", 64, "€899"))
)
MAILS = "<a href=/i>Inbox</a><input placeholder='Search mail'>" + "".join(
    f"""<div class=mail onclick=1><input type=checkbox aria-label=Select>
<i role=button style='{ICON}' aria-label='{star}'></i>
<span>{name}</span> <span>{about}</span></div>"""
    for name, about, star in (("Jonas Berg", "Boat trip", "Not starred"), ("Cloudnine", "Invoice", "Starred"))
)
SONGS = "".join(
    f"""<tr><td><button aria-label='Play {name}'>▶</button><td><a href=/{name}>{name}</a>
<td><a href=/a/{album}>{album}</a></tr>"""
    for name, album in (("Glass", "Winter"), ("Mørk", "Tundra"))
)
ALBUMS = f"""<table><tr><th>#<th><button>Title</button><th><button>Album</button></tr>{SONGS}</table>
<ul><li><button>Play</button> Sauna<li><button>Play</button> Lounge</ul>"""
TEAS = "".join(
    f"<div class=i><a href=/{n}>{name}</a> ¥{n},800 <button>カートに入れる</button><button>お気に入り</button></div>"
    for n, name in ((4, "常滑焼 急須"), (3, "抹茶茶碗"))
)
TRAINS = "".join(
    f"<div class=res>{time} ab {price} € <button>Auswählen</button></div>"
    for time, price in (("08:02", "29,90"), ("09:15", "54,90"), ("10:02", "39,90"))
)
CONTACTS = "<button>Contract</button><div>Contact <a href=/t>Tom</a></div><div>Owner <a href=/p>Priya</a></div>"
STATES = """<button>Save</button><button aria-expanded=true>Guide</button><button aria-expanded=false>Recipes</button>
<label>Name <input></label><label>IBAN <input aria-invalid=true></label>"""


TOOLBAR = "<div role=toolbar><button>Archive</button><button>Snooze</button><button>More</button></div>"
LETTERS = "".join(
    f"<div role=listitem><b>{name}</b> <button>Reply</button><button aria-label=More>⋮</button><p>{text}</p></div>"
    for name, text in (("Nora", "Could you?"), ("Me", "Attached."), ("Otto", "Thanks."))
)
THREAD = f"<div>{TOOLBAR}{LETTERS}<div class=new><button>Send</button><button>Delete draft</button></div></div>"
ANSWERS = "".join(
    f"{head}<div class=post><p>{text}</p><a href='#{text}'>Share</a> <a href=/u/{text}>{text}</a></div>"
    for head, text in (("<h1>Question</h1>", "ann"), ("<h2>3 Answers</h2>", "bob"), ("", "cleo"), ("", "dan"))
)
SHOES = "".join(
    f"""<div class=card><a href=/{n}>{name}</a> <div class=wish onclick=1 style='{ICON}'></div> <b>{price}</b>
<button>Add to bag</button></div>"""
    for n, (name, price) in enumerate((("White boots", "€49.00"), ("Red heels", "€720"), ("Red boots", "€90.50")), 1)
)
SHOP = f"<input aria-label='Max price'><label><input type=checkbox> Boots (31)</label><div>{SHOES}</div>"
LEDGER = "".join(
    f"""<tr><td><input type=checkbox><td><a href=/{name}>{name}</a><td>{day}
<td><button><i class='bi bi-envelope' style='{ICON}'></i></button>
<button><i class='bi bi-trash' style='{ICON}'></i></button></tr>"""
    for name, day in (("INV-91", "2026-01-14"), ("INV-92", "2026-03-28"), ("INV-93", "02.04.2026"))
)
INVOICES = f"""<label>From <input type=date></label><a href=#all role=tab>All</a>
<table><tr><th><input type=checkbox aria-label=''><th>Number<th>Date<th></tr>{LEDGER}</table>"""
PLAIN = """<nav><a href=/>Home</a> <input placeholder='Type here…'></nav><form><div>Price</div>
<div><div><div><input aria-label=from></div></div><div><div><input aria-label=to></div></div></div>
<button>Apply changes</button></form><a href=/app>App</a><a href=mailto:n@x.dk>n@x.dk</a>
<button>Insert photo</button><button>Add to tasks</button><label><input type=checkbox role=switch> Let people in</label>
<button>Leave people out</button><button>10 h 30</button><button>11 h 30</button>"""
WEEKS = """<button>Previous week</button><button>Next week</button><button>09:30</button>
<button aria-pressed=true>10:30</button><button disabled>11:30</button><button>More options</button>
<input type=range aria-label=Volume>"""
PEDIDO = """<a href=/s>Cerrar sesión</a><a href=/c>Cerrar</a><label>Código postal <input></label>
<label>Correo electrónico <input></label><button>Solicitar devolución</button><button>Volver a comprar</button>
<button>Rückruf vereinbaren</button><a href=/w>weiter</a>"""


@pytest.mark.parametrize(
    ("page", "query", "hit"),
    [
        (LAPTOPS, "compare the Thinkbook", 'checkbox "Compare" in "Thinkbook '),
        (LAPTOPS, "Zenbook reviews", 'link "64 reviews"'),
        (LAPTOPS, "heart of the Zenbook", 'generic "Save for later" in "Zenbook '),
        (LAPTOPS, "the product for 1199 euros", 'link "Thinkbook"'),
        (MAILS, "mail from Jonas", 'generic "Jonas Berg Boat trip"'),
        (MAILS, "the second mail", 'generic "Cloudnine Invoice"'),
        (MAILS, "star Jonas' mail", 'button "Not starred"'),
        (ALBUMS, "second song", 'link "Mørk"'),
        (ALBUMS, "mork", 'link "Mørk"'),
        (ALBUMS, "album of the second song", 'link "Tundra"'),
        (ALBUMS, "album of Glass", 'link "Winter"'),
        (ALBUMS, "play the last song", 'button "Play Mørk"'),
        (STATES, "the expanded section", 'button "Guide"'),
        (STATES, "the field with the error", 'textbox "IBAN"'),
        (CONTACTS, "contact person", 'link "Tom"'),
        (TEAS, "抹茶茶碗をカートに入れる", 'button "カートに入れる" in "抹茶茶碗 '),
        (TEAS, "二番目の商品", 'link "抹茶茶碗"'),
        (TEAS, "急須のお気に入りボタン", 'button "お気に入り" in "常滑焼 急須 '),
        (TEAS, "add the item for ¥3,800 to the cart", 'button "カートに入れる" in "抹茶茶碗 '),
        ("<label>Datum <input></label><label>Von <input></label>", "Reisedatum", 'textbox "Datum"'),
        ("<label>Datum <input></label><label>Ankunft <input></label>", "arrival", 'textbox "Ankunft"'),
        (TRAINS, "zweite Verbindung auswählen", 'button "Auswählen" in "09:15 '),
        (TRAINS, "choose the ticket for 39.90", 'button "Auswählen" in "10:02 '),
        ("<input placeholder='Looking for?'><button class=btn-search></button>", "product search bar", "textbox"),
        (TABLE, "edit the last project", 'link "Edit" in "Comet Cleo Edit"'),
        (TABLE, "customer of the second row", 'link "Bob"'),
        (ALERTS, "silence the DiskFull alert", 'button "Silence" in "DiskFull Silence"'),
        (POSTS, "reply to Sarah Ross", 'textbox "Response"'),
        (PAGER, "last page", 'link "3"'),
        (CRUMBS, "home in the breadcrumb", 'link "Home" in "Home of mail"'),
        ("<a href=/n>My notifications</a><a href=/s><i class='fa fa-bell'></i> 15</a>", "bell icon", 'link "15"'),
        ("<h2>Boots</h2><a href=/b>Buy</a><h3>$80.00</h3>", "how much does it cost", 'heading "$80.00"'),
        ("<a href=/d>Download</a><a href=/c>Contract.pdf</a>", "download the contract", 'link "Contract.pdf"'),
        ("<input placeholder='Search for…'><button>Go!</button>", "search button", 'button "Go!"'),
        ("<input placeholder=Name><button>Create a new account</button>", "sign up", 'button "Create a new account"'),
        (BLOCKS, "image", 'option "Image"'),
        (BLOCKS, "the table option", 'option "Table"'),
        (CHECKOUT, "log out", 'link "Abmelden"'),
        (CHECKOUT, "zip code field", 'textbox "PLZ"'),
        (THREAD, "three dots of the second message", 'button "More" in "Me '),
        (ANSWERS, "share the third answer", 'link "Share" in "dan '),
        (SHOP, "heart of the third product", 'generic "wish" in "Red boots '),
        (SHOP, "favourite the white boots", 'generic "wish" in "White boots '),
        (SHOP, "price of the white boots", 'link "White boots"'),
        (SHOP, "the €720 shoes", 'link "Red heels"'),
        (INVOICES, "mail invoice 93", 'button "envelope" in "INV-93 '),
        (INVOICES, "trash icon of the invoice from March 28", 'button "trash" in "INV-92 '),
        (INVOICES, "delete the invoice from April", 'button "trash" in "INV-93 '),
        (INVOICES, "select all invoices", "checkbox"),
        (PLAIN, "search field", 'textbox "Type here…"'),
        (PLAIN, "price from", 'textbox "from"'),
        (PLAIN, "apply the prices", 'button "Apply changes"'),
        (PLAIN, "email address", 'link "n@x.dk"'),
        (PLAIN, "add a picture", 'button "Insert photo"'),
        (PLAIN, "10:30 slot", 'button "10 h 30"'),
        (WEEKS, "last week", 'button "Previous week"'),
        (WEEKS, "the selected time", 'button "10:30"'),
        (WEEKS, "slot that is not available", 'button "11:30"'),
        (WEEKS, "louder", 'slider "Volume"'),
        (PEDIDO, "log out", 'link "Cerrar sesión"'),
        (PEDIDO, "email", 'textbox "Correo electrónico"'),
        (PEDIDO, "return", 'button "Solicitar devolución"'),
        (PEDIDO, "nächste Seite", 'link "weiter"'),
    ],
)
async def test_what_is_said_is_what_comes_first(agent: Agent, site: Site, page: str, query: str, hit: str) -> None:
    path = f"/words/{next(_paths)}"
    site.pages[path] = f"<!doctype html><meta charset=utf-8><title>A page</title>{page}"
    await told(agent, "navigate", url=site.url + path)
    first = (await told(agent, "find", query=query)).splitlines()[1]
    assert re.sub(r"^e\d+ ", "", first).startswith(hit), first


async def test_what_a_page_notes_in_comments_finds_nothing(agent: Agent, site: Site) -> None:
    site.pages["/words/noted"] = "<!doctype html><title>A page</title><p><!-- elephant --><a href=/x>Mugs</a>"
    await told(agent, "navigate", url=f"{site.url}/words/noted")
    assert "Nothing fits" in await told(agent, "find", query="elephant")
