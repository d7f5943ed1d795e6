/**
 * What clients elsewhere are asked about by this extension itself: the floor of asking, beneath the policy of whatever
 * gateway they have or have not. A gateway whose key the person trusts asks by its own rules and is not asked here.
 *
 *   a command comes  -> free, or trusted, or agreed to before for exactly this origin, class and client: it runs
 *                    -> else the person is asked, in our own window; sixty seconds of silence are a no
 *                    -> the page must still be the one that was asked about, or it does not run
 *
 * What goes on in pages to come is asked about for every page. What is said to the person in our own pages is said by
 * gateways they trust alone.
 */
import { approvalTimeout, denied, nobodyToAsk, staleTarget } from '../common/errors.js';
import { checkCdp, checkPage, LOOPBACK } from '../common/floor.js';
import { makeNonce } from '../common/hmac.js';
import { checkFiles, reachesFrames, rowOfCdp, rowOfMessage } from '../common/ask_rows.js';
import { digitsOf } from './gateways.js';

/** @typedef {import('../common/params.js').Params} Params */
/** @typedef {import('../common/protocol').Consent} Consent */
/** @typedef {import('../common/ask_rows.js').Row} Row */
/** @typedef {import('./dispatcher.js').Context} Context */
/** @typedef {{id: string, name: string}} Server */

const SECONDS = 60;
/** A no is not asked about again so soon. */
const NO_MS = 60_000;
const MOST_OPEN = 5;
/** Whoever reaches us through a server that heard so many noes so soon asks nothing more: they may call themselves anew. */
const MOST_NOES = 5;
const NOES_MS = 600_000;
/** In the place of an origin: whatever comes. */
const EVERYWHERE = '*';
const KEY = 'consents';
/**
 * What only gateways have business with: those that are trusted; those about which the person is asked first; or any
 * that has a key, as it is shown in words of our own (`group_commands.js`).
 * @type {ReadonlyMap<string, 'trusted' | 'asked' | 'known'>}
 */
const OF_GATEWAYS = new Map([
  ['showActivity', 'trusted'], ['reload', 'trusted'], ['askPerson', 'asked'], ['judgeDownload', 'asked'], ['showHolds', 'known'],
]);
const MOST_KEPT = 500;
/** What tells of a page or acts in it. All else leaves it, or is about none. */
const IN_PAGE = new Set([
  'askFrame', 'askFrames', 'beginAction', 'click', 'forwardCDPCommand', 'hover', 'introspect', 'runTool', 'screenshot', 'settleAction',
  'tabMessage', 'tellFrame', 'type',
]);

export class Consents {
  /** What was refused, and until when that stands. @type {Map<string, number>} */
  #refused = new Map();
  /** By server, when nobody said yes. @type {Map<string, number[]>} */
  #noes = new Map();
  /** Questions of one kind wait for one another. @type {Map<string, Promise<unknown>>} */
  #asking = new Map();
  #open = 0;
  #parts;
  #now;

  /**
   * @param {{
   *   approvals: Pick<import('./approvals.js').Approvals, 'ask'>,
   *   gateways: import('./gateways.js').Gateways,
   *   settings: Pick<import('./settings.js').Settings, 'load' | 'saveConsents'>,
   *   memory: Pick<import('./memory.js').Memory, 'read' | 'update'>,
   *   tabs: Pick<import('./tabs.js').Tabs, 'get'>,
   *   currentTabs: Pick<import('./current_tabs.js').CurrentTabs, 'get'>,
   *   navigation: Pick<import('./navigation.js').Navigation, 'frames'>,
   *   pages: Pick<import('./pages.js').Pages, 'find'>,
   * }} parts
   * @param {() => number} [now]
   */
  constructor(parts, now = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /**
   * Answers whether this client may hear all that the debugger tells of the tab.
   * Raises: denied, approval_timeout, nobody_to_ask, stale_target.
   * @param {Server} server
   * @param {string} command
   * @param {Params} params
   * @param {Context} context
   * @returns {Promise<boolean>}
   */
  async permit(server, command, params, context) {
    const row = this.#row(command, params);
    const [{ keeper, headless }, trusted] = await Promise.all([
      this.#parts.settings.load(), this.#parts.gateways.trusts(context.connection),
    ]);
    if (!trusted && isInPage(command, params)) await this.#checkShown(params, context);
    if (!trusted && !keeper) await this.#checkSpeaker(server, command, context, headless);
    if (!row || trusted) return keeper || trusted;
    const tabId = params.optionalInteger('tabId') ?? (await this.#parts.currentTabs.get(context.connection));
    const origins = await this.#origins(tabId, command, params);
    const asked = row.roams && !keeper ? [EVERYWHERE]
      : origins.filter((origin) => row.kind === 'consequential' || !(keeper || isOfThisMachine(origin)));
    if (asked.length === 0) return keeper && row.kind === 'script';
    await this.#consent(server, context, row, asked, headless);
    const now = await this.#origins(tabId, command, params);
    if (!row.roams && now.some((origin) => !origins.includes(origin))) throw staleTarget('The tab shows another page than the person was asked about.');
    // what is heard of a tab goes on when it shows another page
    return row.roams || (await this.#parts.gateways.trusts(context.connection));
  }

  /** @param {Server} server @param {Context} context @param {Row} row @param {string[]} asked @param {boolean} headless */
  async #consent(server, context, row, asked, headless) {
    const key = JSON.stringify([this.#client(server, context), row.kind, asked]);
    await this.#inTurn(key, async () => {
      if (await this.#isAgreed(server, context, row, asked)) return;
      if (headless) throw nobodyToAsk(`${row.tool} needs the person's consent, and this browser has no windows.`);
      await this.#ask(server, context, row, asked, key);
    });
  }

  /**
   * Words of a stranger in our own pages would pass for ours, and the person's files and this extension are none of their
   * business. A gateway with a key is asked about first, or what it shows is shown without its words.
   * @param {Server} server
   * @param {string} command
   * @param {Context} context
   * @param {boolean} headless
   */
  async #checkSpeaker(server, command, context, headless) {
    const rule = OF_GATEWAYS.get(command);
    if (rule === undefined) return;
    if (rule === 'trusted' || !this.#parts.gateways.of(context.connection)) {
      throw denied(`${command}, to those who reach the browser through a server without a gateway that is trusted there.`);
    }
    if (rule === 'asked') await this.#consent(server, context, { kind: 'script', tool: command, lasting: true, roams: true, details: [] }, [EVERYWHERE], headless);
  }

  /**
   * Nobody asks about pages of this machine, so none of those that are closed may be among them.
   * Raises: denied.
   * @param {Params} params
   * @param {Context} context
   */
  async #checkShown(params, { connection }) {
    const tabId = params.optionalInteger('tabId') ?? (await this.#parts.currentTabs.get(connection));
    const [{ url }, frames] = await Promise.all([this.#parts.tabs.get(tabId), this.#parts.navigation.frames(tabId)]);
    for (const each of [url ?? '', ...frames.map((frame) => frame.url)]) checkPage(each);
  }

  /** @param {string} command @param {Params} params @returns {Row | null} */
  #row(command, params) {
    if (command === 'forwardCDPCommand') {
      const [method, values] = [params.string('method'), params.optionalObject('params') ?? {}];
      // Nobody is asked about what nobody may do.
      checkCdp(method, values);
      checkFiles(method, values);
      return rowOfCdp(method, values);
    }
    if (command !== 'tabMessage') return null;
    const tools = this.#parts.pages.find(params.integer('tabId'), params.integer('frameId'))?.registered ?? [];
    return rowOfMessage(params.optionalObject('message') ?? {}, (wanted) => tools.find(({ name }) => name === wanted)?.annotations);
  }

  /**
   * The sites a command reaches: the page's, and its frames' where it may be meant for one.
   * @param {number} tabId
   * @param {string} command
   * @param {Params} params
   */
  async #origins(tabId, command, params) {
    const [{ url }, frames] = await Promise.all([this.#parts.tabs.get(tabId), this.#parts.navigation.frames(tabId)]);
    const raw = command === 'forwardCDPCommand';
    const all = !raw || reachesFrames(params.optionalString('sessionId'), params.optionalObject('params') ?? {});
    const within = raw ? frames : frames.filter(({ frameId }) => frameId === params.optionalInteger('frameId'));
    const urls = [url ?? '', ...(all ? within.map((frame) => frame.url) : [])];
    const origins = [...new Set(urls.map(originOf))];
    // a frame without an address of its own is its page's; a page without one is asked about as such
    return origins.length > 1 ? origins.filter((origin) => origin !== 'null') : origins;
  }

  /** Whom a yes is good for. @param {Server} server @param {Context} context */
  #client({ id }, { connection }) {
    return this.#parts.gateways.of(connection)?.id ?? id;
  }

  /** @param {Server} server @param {Context} context @param {Row} row @param {string[]} origins */
  async #isAgreed(server, context, row, origins) {
    if (!row.lasting) return false;
    if (await this.#parts.gateways.trusts(context.connection)) return true;
    const [{ consents }, session] = await Promise.all([
      this.#parts.settings.load(), this.#parts.memory.read(KEY, /** @type {string[]} */ ([])),
    ]);
    const isGood = (/** @type {string} */ origin) => session.includes(sessionKey(context, row, origin))
      || consents.some((each) => each.origin === origin && each.kind === row.kind && each.server === server.id);
    return isGood(EVERYWHERE) || origins.every(isGood);
  }

  /** @param {Server} server @param {Context} context @param {Row} row @param {string[]} origins @param {string} key */
  async #ask(server, context, row, origins, key) {
    if ((this.#refused.get(key) ?? 0) > this.#now()) throw denied(`${row.tool}: the person said no a moment ago.`);
    if (this.#noesOf(server).length >= MOST_NOES) throw denied(`${row.tool}: too many questions of ${server.name} were answered with no.`);
    if (this.#open >= MOST_OPEN) throw denied(`${row.tool}: too many questions are open already.`);
    const gateway = row.kind === 'script' ? this.#parts.gateways.of(context.connection) : undefined;
    const question = gateway ? ofGateway(server, gateway) : ofClient(server, row, origins);
    this.#open += 1;
    try {
      const { answer } = await this.#parts.approvals.ask({ ...question, askId: makeNonce(), seconds: SECONDS }, context.signal);
      if ((answer === 'timeout' || answer === 'deny') && !context.signal.aborted) {
        this.#noes.set(server.id, [...this.#noesOf(server), this.#now()]);
      }
      if (answer === 'timeout') throw approvalTimeout(row.tool, SECONDS);
      if (answer === 'deny') {
        if (!context.signal.aborted) this.#refuse(key);
        throw denied(`${row.tool}: the person said no.`);
      }
      if (gateway) await this.#parts.gateways.trust(context.connection, this.#now());
      else if (row.lasting && answer !== 'once') await this.#keep(server, context, row, origins, answer);
    } finally {
      this.#open -= 1;
    }
  }

  /** @param {Server} server @param {Context} context @param {Row} row @param {string[]} origins @param {string} answer */
  async #keep(server, context, row, origins, answer) {
    // what has no origin of its own would be agreed to for every page without one
    const named = origins.filter((origin) => origin !== 'null');
    if (answer === 'session') {
      const added = named.map((origin) => sessionKey(context, row, origin));
      await this.#parts.memory.update(KEY, /** @type {string[]} */ ([]), (kept) => [...kept, ...added].slice(-MOST_KEPT));
      return;
    }
    const { consents } = await this.#parts.settings.load();
    const added = named.map((origin) => ({ id: makeNonce(), server: server.id, origin, kind: row.kind, since: this.#now() }));
    await this.#parts.settings.saveConsents([...consents, ...added].slice(-MOST_KEPT));
  }

  /** @param {Server} server */
  #noesOf({ id }) {
    return (this.#noes.get(id) ?? []).filter((moment) => moment > this.#now() - NOES_MS);
  }

  /** @param {string} key */
  #refuse(key) {
    for (const [each, until] of this.#refused) if (until <= this.#now()) this.#refused.delete(each);
    this.#refused.set(key, this.#now() + NO_MS);
  }

  /** Who waits for the same may find it answered. @param {string} key @param {() => Promise<void>} work */
  async #inTurn(key, work) {
    const turn = (this.#asking.get(key) ?? Promise.resolve()).then(work, work);
    this.#asking.set(key, turn);
    try {
      await turn;
    } finally {
      if (this.#asking.get(key) === turn) this.#asking.delete(key);
    }
  }
}

/** @param {string} command @param {Params} params */
const isInPage = (command, params) => IN_PAGE.has(command) && !(command === 'forwardCDPCommand' && params.string('method') === 'Page.navigate');

/** @param {Context} context @param {Row} row @param {string} origin */
const sessionKey = ({ connection }, { kind }, origin) => JSON.stringify([connection, kind, origin]);

/** Raises: denied for what is no web page. @param {string} url */
function originOf(url) {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: 'about:', origin: 'null' };
  if (/^(?:https?|about|data|blob):$/.test(protocol)) return origin;
  throw denied(`scripts in ${protocol} pages, to those who reach the browser through a server.`);
}

/** @param {string} origin */
const isOfThisMachine = (origin) => URL.canParse(origin) && LOOPBACK.test(new URL(origin).hostname.replace(/\.$/, ''));

/** @param {Server} server @param {Row} row @param {string[]} origins */
function ofClient({ name }, row, origins) {
  const where = origins.map((origin) => (origin === 'null' ? 'a page without an address' : origin)).join(', ');
  const [first] = origins.filter((origin) => origin !== 'null' && origin !== EVERYWHERE);
  const deed = row.kind !== 'script' ? `run ${row.tool} of ${where}`
    : row.roams ? 'see and change every page that its tabs show, of whatever site' : `run scripts in pages of ${where}`;
  const client = `A client of ${name}`;
  return {
    client, origin: first ?? '', tool: row.tool, kind: row.kind, details: row.details,
    question: `May ${client.replace('A', 'a')} ${deed}?`, lasting: row.lasting && !origins.includes('null'),
  };
}

/** @param {Server} server @param {{id: string, name: string}} gateway */
function ofGateway({ name }, gateway) {
  return {
    client: gateway.name, origin: '', tool: name, kind: 'gateway', lasting: false,
    question: `May the tabwright gateway "${gateway.name}" run scripts in this browser, asking by its own rules?`,
    details: [
      { name: 'Its number', value: `${digitsOf(gateway.id)}: \`tabwright status\` shows the same on its machine` },
      { name: 'Until', value: 'you revoke it in tabwright\'s options' },
    ],
  };
}
