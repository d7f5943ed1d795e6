/**
 * The stand-in's way to the isolated world: a MessagePort, handed over when asked for. What comes over it are orders,
 * which the parts that carry them out put into one table.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  if (!page.interfaces) return;

  const { Event, MessageEvent, accessor, apply, data, dispatch, keep, method } = page.natives;
  const { MessageChannel } = globalThis;
  const post = method(MessagePort.prototype, 'postMessage');
  const onMessage = accessor(MessagePort.prototype, 'onmessage', 'set');
  /** @type {import('./page').Orders} */
  const orders = /** @type {any} */ ({ __proto__: null });
  /** @type {MessagePort | undefined} */
  let port;
  /** Name of the event by which the isolated world sends a form. Not randomUUID: pages without https have none. */
  const secret = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

  /** Only whoever asked takes the port: an orphan of an earlier extension may be listening too. @param {MessageEvent} want */
  const offer = (want) => {
    const { port1, port2 } = new MessageChannel();
    port = port1;
    apply(onMessage, port1, [(/** @type {MessageEvent} */ event) => {
      const message = apply(data, event, []);
      orders[message?.type]?.(message);
    }]);
    const asker = apply(data, want, []);
    apply(dispatch, document, [new MessageEvent('tabwright:port', { data: { asker, secret }, ports: [port2] })]);
  };

  page.bridge = {
    orders,
    secret,
    tell(message) { if (port) apply(post, port, [message]); },
    open() {
      keep(document, 'tabwright:want', offer);
      // Whichever of the two worlds comes first: the other asks at its start, or is told now that there is somebody to ask.
      apply(dispatch, document, [new Event('tabwright:here')]);
    },
  };
})();
