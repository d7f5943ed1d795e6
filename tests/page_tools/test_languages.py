"""Pages in other languages: searches only read, what deletes says so, the way out sends nothing, pages are turned."""

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.visit import properties, visiting

pytestmark = pytest.mark.browser

PAGE = """<title>{title}</title><main><h1>{title}</h1><form action="/found"><input name=begriff aria-label="{label}">
<button>{search}</button></form><form id=f method=post action="/sent"><label>{field} <input name=mail></label>
<label>{choice} <select name=land><option value="">{choose}<option>A<option>B</select></label>
<button>{cancel}</button><button>{save}</button></form><button>{delete}</button>
<nav class=pagination><a href="?p=1">{previous}</a><a href="?p=3">{next}</a></nav></main>"""

WORDS = {
    "de": "Kunden,Kunden suchen,Suchen,Adresse,Land,Bitte wählen,Abbrechen,Speichern,Konto löschen,Zurück,Weiter",
    "fr": "Clients,Rechercher un client,Rechercher,Adresse,Pays,Choisissez,Annuler,Enregistrer,Supprimer le compte,"
    "Précédent,Suivant",
    "es": "Clientes,Buscar,Buscar,Correo,País,Seleccione,Cancelar,Guardar,Eliminar cuenta,Anterior,Siguiente",
    "pl": "Klienci,Szukaj,Szukaj,Adres,Kraj,Wybierz,Anuluj,Zapisz,Usuń konto,Poprzednia,Następna",
    "ru": "Клиенты,Поиск,Найти,Адрес,Страна,Выберите,Отмена,Сохранить,Удалить аккаунт,Предыдущая,Следующая",
    "zh": "客户,搜索客户,搜索,地址,国家,请选择,取消,保存,删除账户,上一页,下一页",
    "ja": "顧客,顧客を検索,検索,住所,国,選択してください,キャンセル,保存,アカウントを削除,前へ,次へ",
}
PARTS = ("title", "label", "search", "field", "choice", "choose", "cancel", "save", "delete", "previous", "next")


@pytest.mark.parametrize("language", WORDS)
async def test_what_buttons_say_is_understood(shared: GatewayProcess, site: Site, language: str) -> None:
    words = dict(zip(PARTS, WORDS[language].split(","), strict=True))
    async with visiting(shared, site) as visit:
        tools = await visit.open(PAGE.format(**words))
        assert {"next_page", "previous_page"} <= tools.keys()
        [search] = [tool for tool in tools.values() if [*properties(tool)] == ["query"]]
        assert search.annotations is not None
        assert search.annotations.read_only_hint
        [save] = [tool for tool in tools.values() if "mail" in properties(tool)]
        assert "press" not in properties(save)
        assert words["save"] in str(save.description)
        assert properties(save)["land"]["enum"] == ["A", "B"]
        [delete] = [name for name, tool in tools.items() if f'"{words["delete"]}"' in str(tool.description)]
        if language in ("zh", "ja"):
            assert delete.startswith("delete")
        assert "found?begriff=x1" in await visit.call(search.name, query="x1")
