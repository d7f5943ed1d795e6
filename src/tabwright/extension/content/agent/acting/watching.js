/**
 * Notes what happens in the page from a moment on: changes of the tree, text that comes into sight, navigations and
 * downloads that begin, fields that the browser refuses.
 *
 * What is drawn anew with the same words is neither new nor gone, nor is what nobody saw. A number that changes is told
 * with the words it stands in: "Count: 2", not "2".
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NODES_MAX = 300;
  /** Elements looked at before an action, and those of them that are kept because they do not show. */
  const LOOKED_MAX = 2_000;
  const UNSEEN_MAX = 300;
  const SHOWN = { visibilityProperty: true, opacityProperty: true };
  const UNREAD = 'script,style,template,noscript,link,meta,title,option,datalist';
  /** How far above a bare number the words are that say what it counts, and how long they may be. */
  const STATES = /^aria-(?:pressed|checked|selected|expanded)$/;
  const CONTEXT_UP = 3;
  const CONTEXT_MAX = 60;
  const BUSY = '[aria-busy=true]';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    /** The same for two ways to draw the same words. @param {string | null | undefined} text */
    const wordsOf = (text) => (text ?? '').slice(0, 2_000).replace(/\s+/g, '');

    const isDrawn = (/** @type {Element} */ element) => dom.bare(element).checkVisibility(SHOWN);
    /** Nor put aside, where nobody can scroll, as some menus are until they are pointed at. */
    const isInReach = (/** @type {Element} */ element) => isDrawn(element) && !parts.get('tree').isBeyond(element, dom.bare(element).getBoundingClientRect());

    /** What does not show now, the outermost of it: menus that wait to be opened. @param {(element: Element) => boolean} isShown @returns {Element[]} */
    const unseen = (isShown) => {
      /** @type {Element[]} */
      const found = [];
      let left = LOOKED_MAX;
      const look = (/** @type {Element} */ element) => {
        left -= 1;
        const own = dom.bare(element);
        if (own.matches(UNREAD)) return;
        if (!isShown(element)) {
          found.push(element);
          return;
        }
        for (let child = own.firstElementChild; child && left > 0 && found.length < UNSEEN_MAX; child = dom.bare(child).nextElementSibling) look(child);
      };
      if (document.body) look(document.body);
      return found;
    };

    /** How a column sorts; some say that it does not. @param {string | null} said */
    const sortingOf = (said) => (said === 'none' ? null : said);

    /** The words that say what a bare number is, where they stand close by. @param {Node} node @returns {Node} */
    const inContext = (node) => {
      const isSaid = (/** @type {Node} */ each) => /\p{L}/u.test(each.textContent ?? '');
      // What draws a press, as a ripple does, says nothing.
      if (isSaid(node) || !/\S/.test(node.textContent ?? '')) return node;
      let at = node.parentElement;
      for (let up = 0; at && up < CONTEXT_UP && !isSaid(at); up += 1) at = at.parentElement;
      if (at === document.body || at === document.documentElement) return node;
      return at && isSaid(at) && dom.collapse(at.textContent ?? '').length <= CONTEXT_MAX ? at : node;
    };

    /** Whether there may be words in it; those of elements are not read for that. @param {NodeList} nodes @param {Node} parent */
    const hasWords = (nodes, parent) => {
      if (nodes.length === 0 || parent.nodeName === 'TITLE') return false;
      return [...nodes].some((node) => (node instanceof Text ? node.data.trim() !== '' : node.firstChild !== null));
    };

    /** A link to a part of the page, which shows nothing new. @param {{hashChange: boolean, destination: {url: string}}} event */
    const isAnchor = ({ hashChange, destination }) => {
      if (!hashChange) return false;
      const name = URL.parse(destination.url)?.hash.slice(1) ?? '';
      return /^(?:top)?$/i.test(name) || [name, dom.decoded(name)].some((id) => document.getElementById(id) || document.getElementsByName(id).length > 0);
    };

    /** Text that came and text that went, from the changes in their order. */
    class Changes {
      /** @type {Set<Node>} */
      added = new Set();
      /** As it was, in elements of its own. @type {Set<Node>} */
      redrawn = new Set();
      /** By its words, how often. @type {Map<string, {text: string, times: number}>} */
      #gone = new Map();
      /** @type {WeakSet<Node>} */
      #changed = new WeakSet();

      get isMany() { return this.added.size > NODES_MAX || this.#gone.size > NODES_MAX; }

      get removed() { return new Set([...this.#gone.values()].map(({ text }) => text)); }

      /** @param {Node} node @param {Node} parent */
      take(node, parent) {
        // What came and went since is as if it never was.
        if (this.added.delete(node)) return;
        const isSeen = node instanceof Element
          ? !dom.bare(node).matches(`${UNREAD},[hidden]`) && /** @type {HTMLElement} */ (node).style?.display !== 'none'
          : node instanceof Text;
        if (isSeen && (!parent.isConnected || !(parent instanceof Element) || dom.isRendered(parent))) this.#note(node.textContent);
      }

      /** @param {Node} node @param {string | null} before */
      change(node, before) {
        if (!this.#changed.has(node) && !this.added.has(node)) this.#note(before);
        this.#changed.add(node);
        this.added.add(node);
      }

      /** @param {string | null} text */
      #note(text) {
        const words = wordsOf(text);
        const known = this.#gone.get(words);
        if (known) known.times += 1;
        else if (words) this.#gone.set(words, { text: dom.collapse(text?.slice(0, 300) ?? ''), times: 1 });
      }

      /** Takes out what is as it was. */
      reconcile() {
        if (this.#gone.size === 0) return;
        for (const node of this.added) {
          const words = wordsOf(node.textContent);
          const known = this.#gone.get(words);
          if (!known) continue;
          this.added.delete(node);
          this.redrawn.add(node);
          known.times -= 1;
          if (known.times === 0) this.#gone.delete(words);
        }
      }
    }

    /** @type {import('./acting').Watching['start']} */
    const start = ({ hovering = false } = {}) => {
      parts.get('secrets').rememberSecrets();
      const isShown = hovering ? isInReach : isDrawn;
      const waiting = unseen(isShown);
      const changes = new Changes();
      const unfolding = parts.get('unfolding').start();
      /** @type {import('./acting').Happened} */
      const seen = {
        changedAt: 0,
        wordsAt: 0,
        movedAt: 0,
        drawn: undefined,
        errands: undefined,
        gone: false,
        leaving: false,
        left: '',
        download: '',
        get added() {
          const opened = waiting.filter((each) => each.isConnected && isShown(each));
          // A style alone may open a menu, and the tree does not change by it.
          if (opened.length > 0) seen.changedAt ||= performance.now();
          return new Set([...opened, ...[...changes.added].map(inContext)]);
        },
        get redrawn() { return changes.redrawn; },
        get removed() { return changes.removed; },
        refused: new Map(),
        turned: new Set(),
        sorted: new Set(),
      };
      let isDrawing = false;
      /** The frame after a change is asked for at once, and not only by whoever waits for what follows; so are the errands. */
      const change = () => {
        seen.changedAt = performance.now();
        if (isDrawing) return;
        isDrawing = true;
        seen.errands = parts.get('errands').run();
        seen.drawn = parts.get('turns').draw(() => { isDrawing = false; });
      };
      const observer = new MutationObserver((records) => {
        change();
        for (const { type, target, addedNodes, removedNodes, attributeName, oldValue } of records) {
          if (type === 'characterData' || hasWords(addedNodes, target) || hasWords(removedNodes, target)) seen.wordsAt = seen.changedAt;
          if (attributeName === 'style') unfolding.note(target, oldValue);
          if (changes.isMany) return;
          for (const node of removedNodes) changes.take(node, target);
          for (const node of addedNodes) if (!(node instanceof Comment)) changes.added.add(node);
          if (type === 'characterData') changes.change(target, oldValue);
          // Text that was there but not shown is new to a person; on a long page not all of it was looked at before.
          const wasHidden =
            (attributeName === 'hidden' && oldValue !== null) ||
            (attributeName === 'style' && /display:\s*none|visibility:\s*hidden/.test(oldValue ?? ''));
          if (wasHidden) {
            changes.added.add(target);
            seen.wordsAt = seen.changedAt;
          }
          if (attributeName === 'aria-sort' && sortingOf(/** @type {Element} */ (target).ariaSort) !== sortingOf(oldValue)) seen.sorted.add(/** @type {Element} */ (target));
          if (STATES.test(attributeName ?? '') && /** @type {Element} */ (target).getAttribute(attributeName ?? '') !== oldValue) {
            seen.turned.add(/** @type {Element} */ (target));
          }
        }
        changes.reconcile();
      });
      const options = {
        subtree: true,
        childList: true,
        characterData: true,
        characterDataOldValue: true,
        attributeOldValue: true,
        attributeFilter: [
          'hidden',
          'open',
          'class',
          'style',
          'disabled',
          'aria-invalid',
          'aria-expanded',
          'aria-selected',
          'aria-checked',
          'aria-pressed',
          'aria-sort',
          'aria-busy',
          'aria-disabled',
          'aria-hidden',
          'aria-label',
          'href',
          'value',
        ],
      };
      const ending = new AbortController();
      const { signal } = ending;
      const refuse = (/** @type {Event} */ event) => {
        const field = /** @type {HTMLInputElement} */ (event.target);
        if (field.validationMessage) seen.refused.set(field, field.validationMessage);
      };
      for (const root of dom.roots(document)) {
        observer.observe(root, options);
        // Its event stays within the shadow root.
        root.addEventListener('invalid', refuse, { capture: true, signal });
        root.addEventListener('change', (event) => {
          change();
          if (event.target instanceof Element) seen.turned.add(event.target);
        }, { capture: true, signal });
      }
      addEventListener(
        'pagehide',
        () => {
          seen.gone = true;
        },
        { signal },
      );
      const { navigation } = /** @type {any} */ (globalThis);
      navigation?.addEventListener(
        'navigate',
        (/** @type {any} */ event) => {
          if (event.downloadRequest !== null && event.downloadRequest !== undefined)
            seen.download = event.downloadRequest || event.destination.url;
          else if (!event.destination.sameDocument && !event.hashChange) {
            seen.leaving = true;
            seen.left = event.destination.url;
          } else if (event.destination.url !== location.href && !isAnchor(event)) seen.movedAt = performance.now();
          change();
        },
        { signal },
      );
      const busy = new Set(document.querySelectorAll(BUSY));
      return {
        seen,
        isUnfolding: unfolding.isUnderWay,
        isBusy: () => [...document.querySelectorAll(BUSY)].slice(0, 5).some((each) => !busy.has(each) && each.checkVisibility()),
        stop: () => {
          observer.disconnect();
          ending.abort();
        },
      };
    };

    return { start };
  };

  agent.part('watching', make);
})();
