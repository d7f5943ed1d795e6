/**
 * Waiting for what an action causes, and saying it in a few lines. It ends as soon as the page is quiet after a
 * change; how long that takes decides the page, not a fixed pause:
 *
 * 1. the action runs while changes, navigations, requests and refused fields are noted;
 * 2. a navigation to another document: this one is about to end, and the worker answers for it;
 * 3. requests the action caused, and what the page said to sockets and workers: until they are answered and the answers
 *    are shown;
 * 4. a change: until nothing changed for a moment and nothing says it is busy; no change at all: a little longer;
 * 5. what a person would notice is put into words.
 *
 * When that is so decides `quiet.js`.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./acting').Gesture} Gesture */
  /** @typedef {import('./acting').Patience} Patience */

  /** Of a tool of the page, which is one call for a whole errand. @type {Patience} */
  const ERRAND = { step: 20, quiet: 80, pieces: 100, push: 300, nothing: 450, hidden: 1100, restless: 1500, requests: 5000, leave: 8_000 };
  /** Of a single click or key. @type {Patience} */
  const GESTURE = { step: 8, quiet: 24, pieces: 60, push: 250, nothing: 34, rested: 16, alone: 5, hidden: 0, restless: 400, requests: 1500, leave: 1_700 };
  /**
   * A page that has loaded and is not at rest: applications build themselves up step by step, with longer pauses. That
   * something moves or changes its looks is no reason to wait.
   * @type {Patience}
   */
  const ARRIVAL = { ...GESTURE, arrives: true, quiet: 100, pieces: 150, rested: undefined, alone: undefined, restless: 600 };
  const ASKED_AGAIN_MS = 400;
  /** Of what comes from within the page nothing needs to be known. */
  const UNASKED = { any: () => false, frame: () => false, idle: () => false, timer: () => false };
  /** @type {import('../agent').Settled} */
  const LEFT = { lines: [], navigated: true, changed: true, errors: [] };
  /** What is left to say of waits that were over too soon. @type {Partial<Record<import('./acting').Verdict, string>>} */
  const REMARKS = { waits: 'The page still waits for answers from the network.', empty: 'The page shows nothing yet.' };

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const notices = parts.get('notices');
    const network = parts.get('network');
    const talks = parts.get('talks');

    /**
     * Whatever happens from now on is noted.
     * @param {{form?: Element, hovering?: boolean, asks?: Gesture['asks'], isAlone?: Gesture['isAlone']}} how
     * @returns {Gesture}
     */
    const begin = ({ form, hovering = false, asks = UNASKED, isAlone = () => false }) => {
      const [before, since] = [notices.before(form), performance.now()];
      const [watch, signs] = [parts.get('watching').start({ hovering }), parts.get('settle_signs').start()];
      return { before, since, said: since, endings: network.endings(), watch, signs, asks, isAlone };
    };

    /** @param {Gesture | undefined} gesture */
    const end = (gesture) => {
      gesture?.watch.stop();
      gesture?.signs.stop();
    };

    /**
     * @param {Gesture} gesture
     * @param {number} start
     * @param {Patience} patience
     * @param {Element} [form]
     * @returns {Promise<import('../agent').Settled & {fresh?: import('./acting').News[]}>}
     */
    const settled = async (gesture, start, patience, form) => {
      const { before, watch: { seen }, signs } = gesture;
      const verdict = await parts.get('quiet').after(gesture, start, patience);
      if (verdict === 'left') return LEFT;
      if (verdict === 'leaving') return { ...LEFT, lines: [`The tab is loading ${seen.left}, which has not answered yet.`] };
      const remark = REMARKS[verdict];
      if (seen.leaving && remark) return { ...LEFT, lines: [remark] };
      const told = notices.describe(before, seen, form);
      const isEarly = verdict === 'early';
      return { ...told, lines: [...signs.tell(told.lines), ...(remark ? [remark] : [])], rested: isEarly || verdict === 'rested', early: isEarly, waits: remark !== undefined };
    };

    /** With what can be used at once of what came; of a field that was filled in its calendar has done its part. @param {import('../agent').Settled & {fresh?: import('./acting').News[]}} how @param {boolean} isFilled */
    const withNews = ({ fresh = [], ...told }, isFilled) => {
      const usable = isFilled ? fresh.filter(({ isMonth }) => !isMonth) : fresh;
      const news = usable.length > 0 ? parts.get('newcomers').told(usable, isFilled) : [];
      return news.length > 0 ? { ...told, lines: notices.withoutFresh(told.lines), news } : told;
    };

    /** @type {import('./acting').Settle['after']} */
    const after = async (action, { form } = {}) => {
      const gesture = begin({ form });
      try {
        await action();
        const { fresh, ...told } = await settled(gesture, gesture.since, ERRAND, form);
        return told;
      } finally {
        end(gesture);
      }
    };

    /** The gesture under way, which comes from outside the page. @type {Gesture & {hovering: boolean, start?: number, read?: () => object} | undefined} */
    let underWay;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let leaving;

    const stop = () => {
      clearTimeout(leaving);
      end(underWay);
      underWay = undefined;
      parts.get('aim').end();
    };

    const observe = (/** @type {{arriving?: boolean, hovering?: boolean}} */ { arriving = false, hovering = false } = {}) => {
      stop();
      const turns = parts.get('turns');
      const asks = { any: turns.since(), frame: turns.frameSince(), idle: turns.idleSince(), timer: turns.timerSince() };
      const isAlone = parts.get('company').look();
      parts.get('late');
      const gesture = begin({ hovering, asks, isAlone });
      underWay = { ...gesture, said: arriving ? 0 : gesture.since, hovering };
      return {};
    };

    const reread = (/** @type {() => object} */ read) => {
      if (underWay) underWay.read = read;
    };

    /** What a field holds by now, if the gesture filled one in that is still there. @param {(() => object) | undefined} read */
    const held = (read) => {
      try {
        return read && { held: read() };
      } catch {
        return undefined;
      }
    };

    /** @param {boolean} isArriving @param {number | undefined} ms the longest wait @param {boolean} isPatient others could change the page */
    const patienceOf = (isArriving, ms, isPatient) => {
      if (ms !== undefined) return { ...GESTURE, rested: undefined, nothing: ms, restless: Math.max(ms, GESTURE.restless), requests: ms, leave: Math.max(ms, GESTURE.leave) };
      if (isArriving) return ARRIVAL;
      return isPatient ? { ...GESTURE, alone: undefined } : GESTURE;
    };

    const conclude = async (/** @type {{ms?: number, patient?: boolean}} */ { ms, patient: isPatient = false }) => {
      if (!underWay) return { ...LEFT, navigated: false, changed: false };
      clearTimeout(leaving);
      const gesture = underWay;
      const { watch: { seen }, asks, since, said, hovering, read } = gesture;
      let mayAskAgain = false;
      try {
        // Who asks once more goes on waiting: what ended in between counts.
        const start = (gesture.start ??= performance.now());
        const look = () => settled(gesture, start, patienceOf(said === 0, ms, isPatient));
        const late = parts.get('late');
        // A frame that the pointer is not in has nothing to show for it.
        const isMeant = () => (hovering ? document.querySelector(':hover') !== null : late.isPressed(since));
        const told = withNews(ms === undefined && isMeant() ? await late.told(look, { seen, start, hasTimed: asks.timer, isMeant }) : await look(), read !== undefined);
        // Whoever knows of a request that was not told here yet asks once more, but not of a page that has just come.
        mayAskAgain = told.rested !== undefined && said > 0;
        const missed = mayAskAgain && !told.navigated ? parts.get('aim').missed(seen) : {};
        return { ...told, ...missed, title: document.title, url: location.href, ...(mayAskAgain ? { heard: network.heard(), streams: talks.since(said).streams } : {}), ...held(read) };
      } finally {
        if (underWay === gesture && mayAskAgain) leaving = parts.get('turns').timer(stop, ASKED_AGAIN_MS);
        else if (underWay === gesture) stop();
      }
    };

    /** @type {import('./acting').Settle['arrived']} */
    const arrived = () => {
      const { lines, failed, refused } = notices.arrived();
      const news = refused.length > 0 ? parts.get('newcomers').refused(refused) : [];
      return { lines, failed, ...(news.length > 0 ? { news } : {}) };
    };

    return { after, arrived, observe, reread, conclude };
  };

  agent.part('settle', make);
  agent.serve('observe', (params) => agent.get('settle').observe(params));
  agent.serve('settled', (params) => agent.get('settle').conclude(params));
})();
