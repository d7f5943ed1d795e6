import assert from 'node:assert/strict';
import { test } from 'node:test';

/** @type {any} */
let deeds;
/** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')] = { part: (/** @type {string} */ _, /** @type {() => any} */ make) => { deeds = make(); } };
await import('../../src/tabwright/extension/content/agent/deeds.js');

/** @type {Record<string, string[]>} */
const SAID = {
  search: ['Search', 'Find flights', 'Suchen', 'Flüge suchen', 'Rechercher un vol', 'Buscar', 'Cerca nel sito', 'Pesquisar', 'Producten zoeken',
    'Szukaj', 'Поиск по сайту', '搜索', '搜索商品', '商品を検索'],
  submit: ['Absenden', 'Envoyer', 'Enviar', 'Invia', 'Verzenden', 'Wyślij', 'Отправить', '提交', '送信する'],
  cancel: ['Cancel', 'Abbrechen', 'Annuler', 'Cancelar', 'Annulla', 'Annuleren', 'Anuluj', 'Отмена', '取消', 'キャンセル'],
  close: ['× Close', 'Schließen', 'Fermer', 'Cerrar', 'Chiudi', 'Fechar', 'Sluiten', 'Zamknij', 'Закрыть', '关闭', '閉じる'],
  reset: ['Filter zurücksetzen', 'Réinitialiser', 'Clear all'],
  delete: ['Delete account', 'Konto löschen', 'Supprimer le compte', 'Eliminar', 'Elimina', 'Excluir', 'Account verwijderen', 'Usuń', 'Удалить', '删除', 'アカウントを削除'],
  next: ['Next', 'Weiter', 'Page suivante', 'Siguiente', 'Avanti', 'Próxima página', 'Volgende', 'Następna', 'Далее', '下一页', '次へ'],
  previous: ['Previous', 'Zurück', 'Précédent', 'Anterior', 'Indietro', 'Página anterior', 'Vorige', 'Poprzednia', 'Назад', '上一页', '前へ'],
  preview: ['Preview', 'Zur Vorschau', 'Aperçu', 'Vista previa', 'Anteprima', 'Pré-visualizar', 'Voorbeeld bekijken', 'Podgląd', 'Предпросмотр', '预览', 'プレビュー'],
  buy: ['Buy now', 'Jetzt kaufen', 'Acheter', 'Comprar', 'Acquista', 'Nu kopen', 'Kup teraz', 'Купить', '购买', '購入する'],
  select: ['-- Please select --', 'Bitte wählen', 'Choisissez…', 'Seleccione', 'Seleziona', 'Selecione', 'Kies een land', 'Wybierz', 'Выберите', '请选择', '選択してください'],
};
for (const [deed, texts] of Object.entries(SAID)) {
  test(`${deed} is understood in eleven languages`, () => {
    assert.deepEqual(texts.filter((text) => !deeds.says(text, deed)), []);
  });
}

test('a word within another, or a text about something else, says no such deed', () => {
  const others = ['Research', 'Finder', 'Searchable', 'Zurückgeben', 'Löschwasser', 'Cercare', 'Annullamento', 'Nextcloud', 'Besuchen', '', '→'];
  assert.deepEqual(others.filter((text) => deeds.says(text, 'next', 'previous', 'cancel', 'delete')), []);
  assert.deepEqual(['Research', 'Finder', 'Searchable', 'Besuchen'].filter((text) => deeds.says(text, 'search')), []);
});

test('what is said is named in English', () => {
  for (const [text, named] of [['删除账户', 'delete'], ['ログアウト', 'log out'], ['Сохранить', 'save'], ['返回', 'back'], ['今日', ''], ['取消订阅', 'unsubscribe'], ['取消', 'cancel']])
    assert.equal(deeds.named(text), named);
});

test('only the word itself is nothing but it', () => {
  assert.ok(deeds.is('Weiter', 'next'));
  assert.ok(deeds.is('« Précédent', 'previous'));
  assert.ok(!deeds.is('Weiter zur Kasse', 'next'));
  assert.ok(!deeds.is('Next steps', 'next'));
});
