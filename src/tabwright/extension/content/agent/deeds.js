/**
 * What buttons and fields say in the commonest languages, as the deeds that matter here: which button sends a form, which
 * leads out of it, which turns a page, which does something that cannot be undone. Pure: texts in, answers out. A
 * language that is not here gets what the mark-up alone tells.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./agent').Deed} Deed */

  const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ru', 'zh', 'ja'];
  // Where the verb comes last: "Konto löschen", "Account verwijderen", "商品を検索".
  const VERB_LAST = new Set(['de', 'nl', 'ja']);
  // Written without spaces, so that a word ends anywhere.
  const UNSPACED = new Set(['zh', 'ja']);

  /** For each deed what is said for it, a language each in the order above. @type {Record<Deed, string>} */
  const SAID = {
    search: 'search,find | suche,suchen,finden | recherche,rechercher,chercher,trouver | buscar,busca,búsqueda | cerca,cercare,ricerca,trova'
      + ' | pesquisar,pesquisa,buscar,busca,procurar | zoek,zoeken,vinden | szukaj,wyszukaj,znajdź | поиск,найти,искать | 搜索,搜尋,查找,查询,查詢 | 検索,検索する,探す',
    submit: 'submit | absenden,senden,abschicken | envoyer,soumettre,valider | enviar | invia,inviare | enviar,submeter'
      + ' | verzenden,versturen,indienen | wyślij,prześlij | отправить | 提交,发送,發送 | 送信,送信する',
    save: 'save | speichern | enregistrer,sauvegarder | guardar | salva,salvare | salvar,guardar,gravar | opslaan,bewaren | zapisz | сохранить | 保存,储存,儲存 | 保存,保存する',
    apply: 'apply | übernehmen,anwenden | appliquer | aplicar | applica | aplicar | toepassen | zastosuj | применить | 应用,套用 | 適用,適用する',
    add: 'add | hinzufügen | ajouter | añadir,agregar | aggiungi | adicionar | toevoegen | dodaj | добавить | 添加,新增 | 追加,追加する',
    create: 'create,new | erstellen,anlegen,neu,neue,neuer,neues | créer,nouveau,nouvelle | crear,nuevo,nueva | crea,nuovo,nuova | criar,novo,nova | aanmaken,nieuw,nieuwe'
      + ' | utwórz,nowy,nowa,nowe | создать,новый,новая | 创建,建立,新建 | 作成,作成する,新規',
    register: "register,sign up | registrieren | s'inscrire,s’inscrire | registrarse | registrati | cadastrar,registar | registreren | zarejestruj | зарегистрироваться | 注册,註冊 | 登録,登録する",
    subscribe: "subscribe | abonnieren | s'abonner,s’abonner | suscribirse | iscriviti | inscrever-se,assinar | abonneren | subskrybuj | подписаться | 订阅,訂閱 | 購読,購読する",
    run: 'run,execute | ausführen,starten | exécuter,lancer | ejecutar | esegui,avvia | executar,rodar | uitvoeren,starten | uruchom,wykonaj | выполнить,запустить | 运行,執行,执行 | 実行,実行する',
    cancel: 'cancel,dismiss | abbrechen,verwerfen | annuler | cancelar | annulla | cancelar | annuleren | anuluj | отмена,отменить | 取消 | キャンセル',
    close: 'close | schließen | fermer | cerrar | chiudi | fechar | sluiten | zamknij | закрыть | 关闭,關閉 | 閉じる',
    reset: 'reset,clear | zurücksetzen,leeren | réinitialiser,effacer | restablecer,limpiar | reimposta,azzera | redefinir,limpar | herstellen,wissen | resetuj,wyczyść'
      + ' | сбросить,очистить | 重置,清除,清空 | リセット,クリア',
    back: 'back | zurück | retour | volver,atrás | indietro | voltar | terug | wróć,wstecz | назад | 返回 | 戻る',
    delete: 'delete,remove | löschen,entfernen | supprimer,retirer | eliminar,borrar,quitar | elimina,cancella,rimuovi | excluir,apagar,remover,eliminar'
      + ' | verwijderen | usuń,skasuj | удалить | 删除,刪除,移除 | 削除,削除する',
    buy: 'buy | kaufen | acheter | comprar | acquista,compra | comprar,finalizar compra | kopen | kup | купить | 购买,購買 | 購入,購入する',
    pay: 'pay | bezahlen,zahlen | payer | pagar | paga | pagar | betalen | zapłać | оплатить | 支付,付款 | 支払う,支払い',
    order: 'order | bestellen | commander | pedir | ordina | encomendar | bestellen | zamów,zamawiam | заказать | 下单,訂購 | 注文,注文する',
    'log out': 'log out,sign out,logout | abmelden,ausloggen | se déconnecter,déconnexion | cerrar sesión,salir | esci,disconnetti | sair,terminar sessão | uitloggen,afmelden'
      + ' | wyloguj | выйти,выход | 退出,登出,注销 | ログアウト,サインアウト',
    unsubscribe: 'unsubscribe | abbestellen,kündigen | se désabonner,résilier | darse de baja | annulla iscrizione | cancelar inscrição | opzeggen | wypisz | отписаться | 取消订阅,退订 | 退会,解約',
    next: 'next,next page,go to next page,older,older posts,older entries | weiter,nächste,nächste seite,vor | suivant,suivante,page suivante'
      + ' | siguiente,página siguiente,próxima,próximo | avanti,successiva,successivo,pagina successiva | próxima,próximo,próxima página,seguinte,página seguinte'
      + ' | volgende,volgende pagina | następna,następny,dalej,następna strona | далее,следующая,следующая страница,вперёд,вперед | 下一页,下一頁,下页 | 次へ,次のページ,次',
    previous: 'previous,prev,previous page,go to previous page,newer,newer posts,newer entries | zurück,vorherige,vorherige seite,vorige seite | précédent,précédente,page précédente'
      + ' | anterior,página anterior | indietro,precedente,pagina precedente | anterior,página anterior | vorige,vorige pagina | poprzednia,poprzedni,wstecz,poprzednia strona'
      + ' | назад,предыдущая,предыдущая страница | 上一页,上一頁,上页 | 前へ,前のページ,前',
    preview: 'preview,show preview | vorschau,vorschau anzeigen | aperçu,prévisualiser | vista previa,previsualizar,mostrar previsualización | anteprima,visualizza anteprima'
      + ' | pré-visualizar,visualizar,mostrar previsão | voorbeeld,voorvertoning | podgląd,pokaż podgląd | предпросмотр,предварительный просмотр | 预览,預覽 | プレビュー,プレビューを表示',
    // Looked for anywhere in a text, so stems will do.
    page: 'page | seite | page | página | pagina | página | pagina | stron | страниц | 页,頁 | ページ',
    select: 'select,choose,pick,please select,please choose | wählen,auswählen,wählen sie,bitte wählen | choisir,choisissez,sélectionner,sélectionnez'
      + ' | seleccione,seleccionar,selecciona,elegir,elija | seleziona,selezionare,scegli | selecione,selecionar,escolha | kies,selecteer,maak een keuze | wybierz | выберите,выбрать'
      + ' | 请选择,請選擇,选择 | 選択してください,選択,お選びください',
  };

  const plain = (/** @type {string} */ text) => text.slice(0, 200).normalize('NFC').toLowerCase()
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

  const PHRASE_MAX = 4;
  const IDEOGRAPHS = /[\u3040-\u30ff\u3400-\u9fff]/;

  agent.part('deeds', () => {
    // Looked up rather than matched: a pattern of so many words takes longer to make than a whole look at a page may take.
    /** @type {Map<string, Deed[]>} */
    const first = new Map();
    /** @type {Map<string, Deed[]>} */
    const last = new Map();
    /** @type {[string, Deed, boolean][]} */
    const unspaced = [];
    const put = (/** @type {Map<string, Deed[]>} */ map, /** @type {string} */ word, /** @type {Deed} */ deed) => {
      const known = map.get(word);
      if (!known) map.set(word, [deed]);
      else if (!known.includes(deed)) known.push(deed);
    };
    for (const [name, said] of Object.entries(SAID)) {
      const deed = /** @type {Deed} */ (name);
      for (const [index, words] of said.split(' | ').entries()) {
        const language = LANGUAGES[index] ?? '';
        for (const word of words.split(',')) {
          put(first, word, deed);
          if (VERB_LAST.has(language)) put(last, word, deed);
          if (UNSPACED.has(language)) unspaced.push([word, deed, VERB_LAST.has(language)]);
        }
      }
    }

    /** The deeds a text says, each with the words that say it. @returns {[string, Deed][]} */
    const found = (/** @type {string} */ text) => {
      const said = plain(text);
      const words = said.split(/[^\p{L}\p{N}'’-]+/u);
      /** @type {[string, Deed][]} */
      const all = [];
      for (let count = 1; count <= Math.min(PHRASE_MAX, words.length); count += 1) {
        const begin = words.slice(0, count).join(' ');
        const end = words.slice(-count).join(' ');
        for (const deed of first.get(begin) ?? []) all.push([begin, deed]);
        for (const deed of last.get(end) ?? []) all.push([end, deed]);
      }
      if (IDEOGRAPHS.test(said))
        for (const [word, deed, isLast] of unspaced) if (said.startsWith(word) || (isLast && said.endsWith(word))) all.push([word, deed]);
      return all;
    };

    return {
      says: (text, ...deeds) => found(text).some(([, deed]) => deeds.includes(deed)),
      is: (text, ...deeds) => (first.get(plain(text)) ?? []).some((deed) => deeds.includes(deed)),
      words: (deed) => SAID[deed].split(/ \| |,/),
      named(text) {
        // The longest: to cancel a subscription is not to cancel.
        const [best] = found(text).filter(([, deed]) => deed !== 'page').sort(([one], [other]) => other.length - one.length);
        return best?.[1] ?? '';
      },
    };
  });
})();
