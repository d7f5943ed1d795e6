/**
 * Forms with `toolname` are found, described and filled by the isolated world (`source_forms`), which asks for the
 * submission by an event whose name only the two know. Here they are sent, so that the submit event says that an agent
 * caused it, and the page may answer it (`respondWith`).
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  if (!page.interfaces) return;

  const { Event, WeakMap, accessor, apply, define, keep, listen, method, prevent, recall, remember, unlisten } = page.natives;
  const { secret, tell } = page.bridge;
  const { refusal } = page.tools;
  const { answer, endings } = page.calls;
  const { setTimeout } = globalThis;
  const path = method(Event.prototype, 'composedPath');
  const submitForm = method(HTMLFormElement.prototype, 'requestSubmit');
  const forget = method(WeakMap.prototype, 'delete');
  const target = accessor(Event.prototype, 'target');
  const prevented = accessor(Event.prototype, 'defaultPrevented');
  const trusted = accessor(new Event(''), 'isTrusted');
  const detail = accessor(UIEvent.prototype, 'detail');
  const button = accessor(MouseEvent.prototype, 'button');
  const formOfButton = accessor(HTMLButtonElement.prototype, 'form');
  const formOfInput = accessor(HTMLInputElement.prototype, 'form');
  /** Forms being sent for an agent. */
  const sending = new WeakMap();
  /** Their submit events. */
  const submits = new WeakMap();

  /** The sending that an event belongs to, while the page handles it. @param {Event} event */
  const sendingOf = (event) => {
    if (!apply(recall, submits, [event]) && apply(trusted, event, [])) {
      const record = apply(recall, sending, [apply(target, event, []) ?? event]);
      if (record) apply(remember, submits, [event, record]);
    }
    return apply(recall, submits, [event]);
  };

  define(SubmitEvent.prototype, {
    get agentInvoked() { return sendingOf(/** @type {any} */ (this)) !== undefined; },
    respondWith(/** @type {any} */ given) {
      const why = "Failed to execute 'respondWith' on 'SubmitEvent': ";
      const record = sendingOf(/** @type {any} */ (this));
      if (!record) {
        throw refusal('InvalidStateError', `${why}You can only call respondWith on an submit event that has agentInvoked == true.`);
      }
      if (!apply(prevented, this, [])) throw refusal('InvalidStateError', `${why}To call respondWith, you must first call preventDefault.`);
      record.answer = { given };
    },
  });

  /** The isolated world wants a filled form sent, or marked until the person sends it; the event is on its button. @param {any} order */
  const send = (order) => {
    const at = apply(path, order, [])[0];
    const submitter = at instanceof HTMLFormElement ? undefined : at;
    const form = submitter ? apply(at instanceof HTMLButtonElement ? formOfButton : formOfInput, at, []) : at;
    const number = apply(detail, order, []);
    const isAutomatic = apply(button, order, []) === 1;
    apply(prevent, order, []);
    /** @type {any} */
    const record = { __proto__: null };
    const end = () => {
      delete endings[number];
      apply(forget, sending, [form]);
      apply(unlisten, form, ['submit', submitted, true]);
      apply(unlisten, form, ['reset', reset, true]);
    };
    /** @param {object} outcome */
    const done = (outcome) => tell({ type: 'done', number, ...outcome });
    const finish = () => {
      end();
      if (record.answer) answer(async () => await record.answer.given, done);
      else if (!record.event) done({ error: 'The form was not submitted; the page or the browser refused it.' });
      else if (!apply(prevented, record.event, [])) done({ isLeaving: true });
      else done({ error: "The site has a programming error: it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result" });
    };
    /** @param {Event} event */
    const submitted = (event) => {
      record.event = event;
      sendingOf(event);
      // After every listener of the page.
      if (!isAutomatic) apply(setTimeout, window, [finish, 0]);
    };
    const reset = () => {
      end();
      done({ error: 'Tool execution cancelled by a form reset' });
    };
    endings[number] = end;
    apply(remember, sending, [form, record]);
    apply(listen, form, ['submit', submitted, true]);
    apply(listen, form, ['reset', reset, true]);
    if (!isAutomatic) return;
    apply(submitForm, form, submitter ? [submitter] : []);
    finish();
  };

  keep(window, secret, send, true);
})();
