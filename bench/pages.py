"""The pages that every server reads and works on: applications as people use them, and a few made for the bench."""

import argparse
import contextlib
import pydoc
import threading
import urllib.parse
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench import serving
from tests.apps.test_swagger import PetShop

REAL: Final = (
    "Django admin, 200 rows",
    "Django admin, edit a user",
    "Swagger UI",
    "pydoc of argparse",
    "Python docs, functions",
    "JupyterLab",
)
"""Pages of applications and documentation as people use them; the others are made for the bench."""
DOCUMENTED: Final = "library/functions.html"
PRODUCTS: Final = 60
STYLE: Final = (
    "<style>body{font:15px sans-serif;margin:1em}article{display:inline-block;width:14em;margin:.5em}</style>"
)
SHADOW: Final = """<h1>Frames</h1><iframe src=/frame width=500 height=160></iframe>
<div id=open></div><div id=closed></div>
<script>for (const [id, mode] of [['open', 'open'], ['closed', 'closed']]) {
  const root = document.getElementById(id).attachShadow({ mode });
  root.innerHTML = `<label>${mode} name <input></label><button>Send ${mode}</button>
  <details><summary>More ${mode}</summary>  <a href=/shop>Shop</a></details>`;
}</script>"""
FORM: Final = """<h1>Order</h1><form method=post action=/orders>
<label>Name <input name=name></label><label>E-mail <input name=mail type=email></label>
<label>Size <select name=size><option>Small<option>Medium<option>Large</select></label>
<label><input type=checkbox name=gift> As a gift</label><label>Day <input name=day type=date></label>
<fieldset><legend>Delivery</legend><label><input type=radio name=by value=post> Post</label>
<label><input type=radio name=by value=bike> Bicycle</label></fieldset>
<label>Words <textarea name=words></textarea></label><button>Order</button></form>"""
UPLOAD: Final = """<h1>Papers</h1><form method=post action=/papers enctype=multipart/form-data>
<label>Title <input name=title></label><label>File <input type=file name=paper></label>
<button>Hand in</button></form>"""
WORK: Final = """<h1>Work</h1><button onclick="out.textContent = ++count">Count</button> <output id=out>0</output>
<label>Note <input id=note></label><script>let count = 0</script>""" + "".join(
    f"<p>Paragraph {number} of a page of ordinary length, with <a href=/{number}>link {number}</a>.</p>"
    for number in range(100)
)


def price(number: int) -> float:
    return 5 + number * 37 % 89 + 0.5


def _products() -> str:
    return "".join(
        f"<article><h3><a href=/product/{number}>Product {number}</a></h3><p>{price(number):.2f} €</p>"
        f"<button>Add product {number} to cart</button></article>"
        for number in range(PRODUCTS)
    )


def _product(number: int) -> str:
    return (
        f"<h1>Product {number}</h1><p>Price: {price(number):.2f} €</p><p>{'A good thing. ' * 40}</p>"
        f"<form method=post action=/cart><input type=hidden name=product value={number}>"
        "<button>Add to cart</button></form>"
        + "".join(f"<p><a href=/product/{other}>Also seen: product {other}</a></p>" for other in range(20))
    )


@dataclass
class Shop:
    """The made pages, and what was posted to them."""

    posted: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def respond(self, path: str, sent: bytes) -> str:
        path = path.partition("?")[0]
        if sent:
            with self._lock:
                self.posted.append((path, sent))
            return "<!doctype html><title>Thanks</title><h1>Thank you</h1><p>We have it.</p>"
        return f"<!doctype html><html lang=en><title>{path}</title>{STYLE}{self._body(path)}</html>"

    def _body(self, path: str) -> str:
        if path.startswith("/product/"):
            return _product(int(path.rpartition("/")[2]))
        made = {
            "/shop": f"<h1>Shop</h1><label>Search <input type=search></label>{_products()}",
            "/links": "<ul>" + "".join(f"<li><a href='/{n}'>Topic number {n}</a>" for n in range(1_679)) + "</ul>",
            "/shadow": SHADOW,
            "/frame": "<label>Inner <input></label><button>Inside</button><a href=/shop>Out</a>",
            "/form": FORM,
            "/upload": UPLOAD,
            "/work": WORK,
        }
        return made.get(path, f"<h1>{urllib.parse.unquote(path)}</h1>")

    def took(self, path: str) -> list[bytes]:
        """What was posted there since the last look."""
        with self._lock:
            found = [sent for where, sent in self.posted if where == path]
            self.posted = [each for each in self.posted if each[0] != path]
        return found


@dataclass(frozen=True)
class Site:
    """Everything that is served, by name; `admin` asks for a password, `door` does not."""

    shop: Shop
    shop_url: str
    admin: str
    door: str
    pages: Mapping[str, str]


@contextlib.contextmanager
def served(home: Path, docs: Path | None) -> Generator[Site]:
    """The whole set; pages of what is not installed here are left out."""
    with contextlib.ExitStack() as open_:
        shop, pets = Shop(), PetShop()
        documented = pydoc.html.document(argparse, "argparse")
        open_.callback(pets.close)
        admin = open_.enter_context(serving.django(home / "users.sqlite3"))
        door = open_.enter_context(serving.door(admin))
        pydocs = open_.enter_context(serving.pages(lambda path, _: pydoc.html.page("argparse", documented)))
        real = dict(zip(REAL, (f"{door}/admin/auth/user/?all=", f"{door}/admin/auth/user/3/change/"), strict=False))
        real |= {"Swagger UI": f"{pets.url}/", "pydoc of argparse": f"{pydocs}/argparse"}
        if docs is not None:
            real["Python docs, functions"] = f"{open_.enter_context(serving.folder(docs))}/{DOCUMENTED}"
        if serving.LAB.exists():
            real["JupyterLab"] = open_.enter_context(serving.lab(home / "lab"))
        made = open_.enter_context(serving.pages(shop.respond))
        names = {"Shop of 60": "/shop", "Order form": "/form", "Frames and shadow": "/shadow", "1,679 links": "/links"}
        others = {name: made + path for name, path in names.items()}
        yield Site(shop, made, admin, door, {**real, **others})
