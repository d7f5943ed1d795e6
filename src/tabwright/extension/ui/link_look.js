/** How the link to the gateway reads, in the popup and the side panel. */
import { PAIR_COMMAND } from './elements.js';

/** @typedef {import('../common/protocol').LinkState} LinkState */
/** @typedef {import('../common/protocol').PopupView} PopupView */
/** @typedef {{tone: string, headline: string, explanation: string, command?: string, pairs?: true}} Look */

/** @type {Record<LinkState, Look>} */
const STATES = {
  connected: {
    tone: 'good',
    headline: 'Connected',
    explanation: 'Your MCP clients can see the open tabs and work in the ones they hold.',
  },
  looking: {
    tone: 'wait',
    headline: 'Looking for the gateway',
    explanation: 'It starts with your first MCP client. You can also start it yourself:',
    command: 'tabwright serve',
  },
  unpaired: {
    tone: 'bad',
    headline: 'Not paired yet',
    explanation: 'Pair this browser once with your gateway. Run this in a terminal:',
    command: PAIR_COMMAND,
    pairs: true,
  },
  'wrong-server': {
    tone: 'bad',
    headline: 'Wrong server',
    explanation: 'Something else answers at this address. It could not prove to be your gateway, so it learned nothing '
      + 'about your tabs. If you set tabwright up anew, pair again:',
    command: PAIR_COMMAND,
    pairs: true,
  },
  refused: {
    tone: 'bad',
    headline: 'Refused by the gateway',
    explanation: 'The gateway does not know this browser any more. Pair again:',
    command: PAIR_COMMAND,
    pairs: true,
  },
  off: {
    tone: '',
    headline: 'Disconnected',
    explanation: 'You disconnected this browser. No client can see or use its tabs, here or through a server.',
  },
};

/** A browser that is used through a server alone is not waiting to be paired. @type {Look} */
const THROUGH_SERVER = {
  tone: 'good',
  headline: 'Connected through a server',
  explanation: 'Clients elsewhere can see the open tabs and work in the ones they hold. For clients on this machine, pair '
    + 'this browser with the gateway here:',
  command: PAIR_COMMAND,
  pairs: true,
};

/** @param {PopupView} view */
export const isServed = ({ servers }) => servers.some((server) => server.state === 'connected');

/** @param {LinkState} state */
export const linkHeadline = (state) => STATES[state];

/** @param {PopupView} view @returns {Look} */
export const linkLook = (view) => (view.state === 'unpaired' && isServed(view) ? THROUGH_SERVER : STATES[view.state]);

/** Whether anybody can be at work here. @param {PopupView} view */
export const isLinked = (view) => view.state === 'connected' || isServed(view);

/** Shown when the worker does not answer. @type {Look} */
export const SILENT = {
  tone: 'bad',
  headline: 'The extension does not answer',
  explanation: 'Open chrome://extensions, find tabwright, and press reload.',
};
