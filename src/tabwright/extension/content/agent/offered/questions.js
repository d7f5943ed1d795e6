/**
 * What the page asks the person in the middle of a call of its tools: hub.md's `browser/elicitConfirmation`, and
 * `confirm-action` in the older spelling, said on the channel of MCP-B whether or not a server is there.
 *
 * 1. The page asks. Where none of its tools is running, or too much is open, the answer is no at once.
 * 2. Else the hub is told, and the clocks of the calls under way stand still: a person needs longer than a tool.
 * 3. The hub answers, always; where the way to it broke, the answer is no. The page hears it by the way it asked.
 *
 * Whose call it belongs to and who is asked is the hub's decision.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').HubQuestion} HubQuestion */
  /** @typedef {string | number} Id */
  /** @typedef {{question: HubQuestion, reply: (answer: object) => void, timer: ReturnType<typeof setTimeout>}} Open */

  const MOST_OPEN = 8;
  const LONGEST_ID = 200;
  const LONGEST_TEXT = 4_000;
  /** The hub gives a person a minute. */
  const LONGEST_MS = 70_000;
  /** Nobody is there to ask any more. */
  const LOST = 'not_connected';

  /** @param {HubQuestion} question @returns {Id} */
  const idOf = (question) => ('type' in question ? question.requestId : question.id);

  /** @param {HubQuestion} question @param {string} [reason] why not, in an error's word */
  const answerTo = (question, reason) => {
    const told = reason === undefined ? { confirmed: true } : { confirmed: false, reason };
    if ('type' in question) return { type: 'confirm-result', requestId: question.requestId, ...told };
    return { jsonrpc: '2.0', id: question.id, result: told };
  };

  /** @param {unknown} id @returns {id is Id} */
  const isId = (id) => Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= LONGEST_ID);

  /** @param {any} told */
  const asked = ({ message, callId }) => ({
    message: String(message ?? '').slice(0, LONGEST_TEXT),
    ...(callId === undefined || callId === null ? {} : { callId: String(callId).slice(0, LONGEST_ID) }),
  });

  /**
   * Whatever a page put on the channel, if it is a question.
   * @param {any} payload
   * @returns {HubQuestion | undefined}
   */
  const read = (payload) => {
    if (payload?.method === 'browser/elicitConfirmation' && payload.jsonrpc === '2.0' && isId(payload.id)) {
      return { jsonrpc: '2.0', id: payload.id, method: 'browser/elicitConfirmation', params: asked(payload.params ?? {}) };
    }
    if (payload?.type === 'confirm-action' && typeof payload.requestId === 'string' && isId(payload.requestId)) {
      return { type: 'confirm-action', requestId: payload.requestId, ...asked(payload) };
    }
    return undefined;
  };

  agent.part('questions', () => {
    /** @type {((question: HubQuestion) => void) | undefined} */
    let emit;
    /** @type {Map<Id, Open>} */
    const open = new Map();
    /** Of the calls under way. @type {Set<{go: () => void, halt: () => void}>} */
    const clocks = new Set();

    /** @param {Id} id @param {string} [reason] why not */
    const close = (id, reason) => {
      const { question, reply, timer } = open.get(id) ?? {};
      if (!question) return;
      clearTimeout(timer);
      open.delete(id);
      if (open.size === 0) for (const clock of clocks) clock.go();
      reply?.(answerTo(question, reason));
    };

    const end = () => { for (const id of [...open.keys()]) close(id, LOST); };

    return {
      start(emitter) {
        emit = emitter;
      },

      stop() {
        emit = undefined;
        end();
      },

      heard(payload, reply) {
        const question = read(payload);
        if (!question) return false;
        const id = idOf(question);
        if (open.has(id)) return true;
        if (!emit || clocks.size === 0 || open.size >= MOST_OPEN) {
          reply(answerTo(question, open.size >= MOST_OPEN ? 'limit' : 'no_call'));
          return true;
        }
        if (open.size === 0) for (const clock of clocks) clock.halt();
        open.set(id, { question, reply, timer: setTimeout(() => close(id, LOST), LONGEST_MS) });
        emit(question);
        return true;
      },

      answered(message) {
        const { confirmed, reason } = message.type === 'confirm-result' ? message : message.result ?? {};
        close(message.requestId ?? message.id, confirmed === true ? undefined : String(reason ?? 'denied'));
      },

      end,

      deadline(ms, over) {
        let left = ms;
        let since = 0;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let timer;
        const clock = {
          go() {
            since = performance.now();
            timer = setTimeout(over, left);
          },
          halt() {
            clearTimeout(timer);
            left -= performance.now() - since;
          },
        };
        clocks.add(clock);
        if (open.size === 0) clock.go();
        return {
          renew() {
            clearTimeout(timer);
            left = ms;
            if (open.size === 0) clock.go();
          },
          end() {
            clearTimeout(timer);
            clocks.delete(clock);
          },
        };
      },
    };
  });
})();
