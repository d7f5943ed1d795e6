"""How a value of a page is put into words: a function that travels into the page, since most values are not JSON.

It is called with the value as `this` and the most characters to tell; it goes six levels deep and shows no password.
"""

from typing import Final

DESCRIBE: Final = r"""function (most) {
  'use strict';
  const DEEP = 6, MANY = 200, LONG = 20000;
  const seen = [];
  const cut = (text) => (text.length > LONG ? `${text.slice(0, LONG)}… ${text.length - LONG} more` : text);
  const attribute = (it, { name, value }) =>
    ` ${name}="${it.type === 'password' && name === 'value' ? '•••' : value.slice(0, 80)}"`;
  const node = (it) => {
    if (it.nodeType === 3) return JSON.stringify(it.data.slice(0, 200));
    if (it.nodeType !== 1) return it.nodeType === 9 ? `document ${it.URL}` : `#${it.nodeName}`;
    const shown = [...it.attributes].slice(0, 8).map((each) => attribute(it, each)).join('');
    const text = (it.textContent ?? '').replace(/\s+/g, ' ').trim();
    return `<${it.localName}${shown}>${text.slice(0, 80)}${text.length > 80 ? '…' : ''}`;
  };
  const list = (items, open, close, total) =>
    `${open}${items.join(', ')}${total > items.length ? `, … ${total - items.length} more` : ''}${close}`;
  const plain = (it) => {
    if (typeof it === 'string') return JSON.stringify(cut(it));
    if (typeof it === 'bigint') return `${it}n`;
    if (typeof it === 'function') return `[function ${it.name || 'anonymous'}]`;
    if (typeof it === 'symbol') return String(it);
    return Object.is(it, -0) ? '-0' : String(it);
  };
  const known = (it) => {
    if (it instanceof Node) return node(it);
    if (it instanceof Error) return `[${it.stack?.split('\n')[0] ?? it}]`;
    if (it instanceof Date) return isNaN(it) ? 'Invalid Date' : it.toISOString();
    if (it instanceof RegExp) return String(it);
    if (it instanceof Promise) return '[promise]';
    if (it === globalThis) return '[window]';
    if (it instanceof ArrayBuffer) return `[ArrayBuffer ${it.byteLength} bytes]`;
    if (it instanceof WeakMap || it instanceof WeakSet) return `[${it.constructor.name}]`;
    return undefined;
  };
  // objects of the browser keep what they hold on their prototype
  const inherited = (it) => {
    const names = [];
    for (const each in it) if (typeof it[each] !== 'function') names.push(each);
    return names.slice(0, 40);
  };
  const read = (it, each, deep) => {
    try { return show(it[each], deep); } catch (error) { return `[${error}]`; }
  };
  const member = (it, each, deep) =>
    `${/^[A-Za-z_$][\w$]*$/.test(each) ? each : JSON.stringify(each)}: ${read(it, each, deep)}`;
  const inside = (it, name, deep) => {
    const some = (items, tell) => [...items].slice(0, MANY).map(tell);
    if (it instanceof Map) {
      const pairs = some(it, ([key, value]) => `${show(key, deep)} => ${show(value, deep)}`);
      return list(pairs, `Map(${it.size}) {`, '}', it.size);
    }
    if (it instanceof Set) return list(some(it, (each) => show(each, deep)), `Set(${it.size}) {`, '}', it.size);
    const isView = ArrayBuffer.isView(it) && !(it instanceof DataView);
    if (Array.isArray(it) || isView || it instanceof NodeList || it instanceof HTMLCollection) {
      const kind = Array.isArray(it) ? '' : `${name}(${it.length}) `;
      return list(Array.from(it).slice(0, MANY).map((each) => show(each, deep)), `${kind}[`, ']', it.length);
    }
    if (typeof it.toJSON === 'function') return show(it.toJSON(), deep);
    const names = Object.keys(it);
    const own = names.length > 0 || name === 'Object' ? names : inherited(it);
    const members = own.slice(0, MANY).map((each) => member(it, each, deep));
    return list(members, `${name && name !== 'Object' ? `${name} ` : ''}{`, '}', own.length);
  };
  const show = (it, deep) => {
    if (it === null || typeof it !== 'object') return plain(it);
    if (seen.includes(it)) return '[circular]';
    const words = known(it);
    if (words !== undefined) return words;
    const name = Object.getPrototypeOf(it) === null ? '' : it.constructor?.name ?? '';
    if (deep >= DEEP) return Array.isArray(it) ? `[… ${it.length}]` : `{… ${name}}`;
    seen.push(it);
    try { return inside(it, name, deep + 1); } finally { seen.pop(); }
  };
  let text;
  try { text = show(this, 0); } catch (error) { text = `[cannot be described: ${error}]`; }
  return text.length > most ? `${text.slice(0, most)}… [cut: ${text.length - most} more characters]` : text;
}"""
