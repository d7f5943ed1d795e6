/**
 * Entry of the service worker: builds the parts, introduces them to each other and to Chrome's events.
 *
 * Every listener is registered synchronously, or Chrome would not start a stopped worker for its event. Each start,
 * for whatever reason, ends in links.ensure().
 */
import { guardPorts, guardedPorts } from '../common/floor.js';
import { shownAddress } from '../common/servers.js';
import { Actions } from './actions.js';
import { Activity } from './activity.js';
import { Approvals } from './approvals.js';
import { Bar } from './bar.js';
import { BareWorlds } from './bare_worlds.js';
import { Bootstrap } from './bootstrap.js';
import { browserInfo, nameOf } from './browser_info.js';
import { commandTable } from './commands.js';
import { Company } from './company.js';
import { Connection } from './connection.js';
import { Crashes } from './crashes.js';
import { Consents } from './consents.js';
import { CurrentTabs } from './current_tabs.js';
import { Debugger } from './debugger.js';
import { followDebugger } from './debugger_events.js';
import { Dispatcher } from './dispatcher.js';
import { LocalDoor, ServerDoor } from './doors.js';
import { Downloads } from './downloads.js';
import { FirstRun, knock } from './first_run.js';
import { Focus } from './focus.js';
import { FrameWatch } from './frame_sites.js';
import { Fronts } from './fronts.js';
import { Gateways } from './gateways.js';
import { Groups } from './groups.js';
import { History } from './history.js';
import { Holds } from './holds.js';
import { HubOrigins } from './hub_origins.js';
import { Icon, drawer } from './icon.js';
import { Input } from './input.js';
import { Keeper } from './keeper.js';
import { Links, isHeard } from './links.js';
import { Memory } from './memory.js';
import { NativeHost } from './native.js';
import { Navigation } from './navigation.js';
import { followNavigation } from './navigation_events.js';
import { Offscreen } from './offscreen.js';
import { Onlooking } from './onlooking.js';
import { OptionsPort } from './options_port.js';
import { PageAgents } from './page_agents.js';
import { PageFeed } from './page_feed.js';
import { PageTools } from './page_tools.js';
import { Pages } from './pages.js';
import { Pairing } from './pairing.js';
import { PAGES, PopupPort } from './popup_port.js';
import { Relays, scriptsOf } from './relays.js';
import { Screencasts } from './screencasts.js';
import { ServerLink } from './server_link.js';
import { Settings, fetchConfig } from './settings.js';
import { followTabs } from './tab_events.js';
import { TabFeed } from './tab_feed.js';
import { Tabs } from './tabs.js';
import { Travels } from './travels.js';
import { typedMessages } from './typed_messages.js';
import { Watches } from './watches.js';
import { Windows } from './windows.js';

/** @typedef {import('../common/protocol').Outgoing} Outgoing */

const ORIGIN = chrome.runtime.getURL('');
const ALARM = 'ensure connected';
/** A gateway away for longer has forgotten which pages it watched. */
const LINK_GRACE_MS = 30_000;
/** The same for clients behind a server, which wait longer for it. */
const SERVER_GRACE_MS = 60_000;
/** Lets the answer to `reload` leave the process first. */
const RELOAD_AFTER_MS = 50;

const settings = new Settings(chrome.storage.local, () => fetchConfig(chrome.runtime.getURL('config.json')));
const memory = new Memory(chrome.storage.session);
const connection = new Connection(new LocalDoor(settings, chrome.runtime.id));
const windows = new Windows(chrome.windows);
const navigation = new Navigation(chrome.webNavigation);
const tabs = new Tabs(chrome.tabs, ORIGIN, navigation, windows);
const groups = new Groups(chrome.tabGroups, tabs);
const crashes = new Crashes(memory, (tabId) => tabs.peek(tabId));
const currentTabs = new CurrentTabs(memory);
const bar = new Bar(tabs, async () => (await settings.load()).keeper);
const debug = new Debugger(chrome.debugger, memory, (tabId) => bar.shown(tabId));
const screencasts = new Screencasts(tabs, windows);
const icon = new Icon(chrome.action, drawer((size) => chrome.runtime.getURL(`icons/icon-${size}.png`)));
const holds = new Holds(icon, memory, tabs);
const focus = new Focus(memory, windows, () => Date.now());
const fronts = new Fronts(memory, tabs, holds, focus, () => Date.now());
const keeper = new Keeper(tabs, windows, settings, chrome.runtime.getURL('ui/keeper.html'));
const offscreen = new Offscreen(chrome.offscreen, 'ui/offscreen.html');
const scripts = scriptsOf(chrome.runtime.getManifest().content_scripts ?? []);
const relays = new Relays(chrome.scripting, tabs, scripts);
const bareWorlds = new BareWorlds(debug, navigation, scripts, async (file) => {
  const response = await fetch(chrome.runtime.getURL(file));
  return response.text();
});
const hubOrigins = new HubOrigins(settings);
const pages = new Pages();
const frameWatch = new FrameWatch(navigation, pages);
const agents = new PageAgents(pages, relays, tabs, navigation, bareWorlds);
const watches = new Watches(memory, agents, pages);
const activity = new Activity(chrome.webRequest, pages);
const company = new Company(pages, activity, debug);
const downloads = new Downloads(chrome.downloads);
const history = new History(debug, tabs);
const approvals = new Approvals(() => windows.openPrompt(chrome.runtime.getURL('ui/approve.html')));
const onlooking = new Onlooking();
const firstRun = new FirstRun(settings, () => tabs.create({ url: chrome.runtime.getURL('ui/welcome.html'), active: true }));
const gateways = new Gateways(settings);
const consents = new Consents({ approvals, gateways, settings, memory, tabs, currentTabs, navigation, pages });
const pairing = new Pairing(settings, connection, chrome.runtime.id);
const bootstrap = new Bootstrap({
  settings, connection, pairing, memory,
  host: new NativeHost(chrome.runtime.sendNativeMessage?.bind(chrome.runtime)),
});

/** @param {Outgoing} message */
const send = (message) => connection.send(message);
const feed = new TabFeed(tabs, crashes, send);
const pageFeed = new PageFeed(pages, watches, feed, send);
const links = new Links({ id: 'local', connection, feed, pageFeed, send, hearsDebugger: (_, method) => pageFeed.isForeign || isHeard(method) });
const pageTools = new PageTools({ tabs, feed: links, navigation, pages, agents, activity }, watches);

const browser = () => browserInfo(/** @type {any} */ (navigator).userAgentData);
const { version } = chrome.runtime.getManifest();

async function announce() {
  const [who, attached, { keeper: launched, dialect }, watched] = await Promise.all([
    browser(), debug.attachedTabs(), settings.load(), watches.list(),
  ]);
  pageFeed.toolsOf = dialect === 'tabs' ? (tabId) => pageTools.list(tabId) : (tabId) => watches.tools(tabId);
  await feed.restart((list) => {
    send({ type: 'connected', browser: who, extension: version, tabs: list, attached, launched });
    pageFeed.restart(dialect, watched);
    popup.look();
  });
}

/** Who we are, as a client elsewhere is told. */
async function self() {
  const [who, attached, { keeper: launched, headless, profileId }] = await Promise.all([
    browser(), debug.attachedTabs(), settings.load(),
  ]);
  return { browser: who, profileId, version, attached, launched, seen: !headless };
}

/** The person's stop, for all links: said to the gateway, kept over restarts. */
async function disconnect() {
  send({ type: 'disconnected' });
  await settings.setPaused(true);
  for (const link of links.all) link.connection.stop();
  await debug.detachAll();
  await holds.clear();
}

async function resume() {
  await settings.setPaused(false);
  for (const link of links.all) link.connection.restart();
  await bootstrap.look();
}

const parts = {
  tabs, groups, feed: links, currentTabs, holds, screencasts, navigation, pages, agents, watches, activity, company,
  windows, downloads, history, version, approvals, onlooking,
  debugger: debug,
  travels: new Travels({ tabs, history, navigation, pages, activity, downloads, feed: links, debugger: debug }),
  input: new Input(debug, screencasts, frameWatch),
  actions: new Actions({ tabs, feed: links, navigation, pages, agents, activity, company }),
  reload: () => setTimeout(() => chrome.runtime.reload(), RELOAD_AFTER_MS),
};
const typed = typedMessages({ tabs, feed: links, settings, pageTools, pageFeed, announce, send });
const dispatcher = new Dispatcher(commandTable({ ...parts, pageFeed }), typed, send);

/** @param {string} id */
function serverLink(id) {
  const door = new ServerDoor(settings, id, async () => nameOf(await browser()));
  const to = new Connection(door);
  const link = new ServerLink(id, to, door, {
    feed: (post) => new TabFeed(tabs, crashes, post),
    pageFeed: (tabFeed, post) => new PageFeed(pages, watches, tabFeed, post, true),
    self,
    watched: () => watches.list(),
    gateways,
    permit: async (command, params, context) => {
      const { servers } = await settings.load();
      const url = servers.find((server) => server.id === id)?.url ?? '';
      return consents.permit({ id, name: shownAddress(url) }, command, params, context);
    },
  });
  link.pageFeed.toolsOf = (tabId) => watches.tools(tabId);
  const table = link.table(commandTable({ ...parts, pageFeed: link.pageFeed }));
  const answering = new Dispatcher(table, new Map(), (message) => to.send(message), console.error, `${id}/`);
  to.onMessage = (text) => void answering.receive(text);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let leaving;
  const clientsChanged = () => {
    clearTimeout(leaving);
    if (link.clients > 0) return popup.look();
    onlooking.clear((by) => by.startsWith(`${id}/`));
    void holds.clear(`${id}/`);
    // clients that come back soon go on with what they watched
    leaving = setTimeout(() => void watches.clear(`${id}/`), SERVER_GRACE_MS);
  };
  to.onState = (state) => {
    if (state !== 'connected') link.rest();
    linkChanged();
    clientsChanged();
  };
  link.onClients = () => {
    clientsChanged();
    showAgain();
  };
  return link;
}

/** As many links as the person has servers. */
async function keepServers() {
  const { servers } = await settings.load();
  links.keep(servers.map(({ id }) => id), serverLink);
  links.ensure();
}
const options = new OptionsPort({ settings, links, keepServers, browser: async () => nameOf(await browser()), ownPorts: guardedPorts });
const popup = new PopupPort({
  settings, connection, links, holds, tabs, windows, approvals, onlooking, knock, disconnect, resume, bootstrap,
  options: () => chrome.runtime.openOptionsPage(),
});
const showAgain = () => {
  void popup.refresh();
  void options.refresh();
  void showIcon();
};

async function showIcon() {
  const [{ paused }, sessions] = await Promise.all([settings.load(), holds.sessions()]);
  icon.show({ isLinked: links.isUp, isOff: paused, sessions, questions: approvals.view().questions.length });
}

// `connected` is the first frame on a link; commands that came faster are answered after it.
let announced = Promise.resolve();
connection.onReady = () => {
  void settings.load().then(({ gatewayPorts }) => guardPorts(gatewayPorts));
  void hubOrigins.update(connection.hubOrigins).then((isOther) => isOther && pages.reconsider());
  announced = announce().catch((error) => console.error('tabwright: announcing', error));
};
connection.onMessage = (text) => void announced.then(() => dispatcher.receive(text));
/** @type {ReturnType<typeof setTimeout> | undefined} */
let unwatching;

function linkChanged() {
  if (links.isUp) {
    clearTimeout(unwatching);
    unwatching = undefined;
  } else unwatching ??= setTimeout(() => void watches.clear(), LINK_GRACE_MS);
  relays.rest(links.isResting);
  void (links.isResting ? offscreen.close() : offscreen.open());
  showAgain();
}

connection.onState = (state) => {
  if (state !== 'connected') {
    feed.stop();
    pageFeed.stop();
    onlooking.clear((by) => !by.includes('/'));
  }
  linkChanged();
  void bootstrap.consider();
};
bootstrap.onChange = () => void popup.refresh();
holds.onChange = showAgain;
approvals.onChange = showAgain;
onlooking.onChange = () => void popup.refresh();
tabs.isHidden = (tabId, url) => keeper.isLapsed(tabId, url);
crashes.onSign = (tabId) => void links.sync(tabId);
bareWorlds.onPort = (port) => pages.accept(port);
debug.onEnded = (tabId) => bareWorlds.ended(tabId);
relays.onBroken = (tabId) => void crashes.suspect(tabId, navigation.awaited(tabId) !== undefined);
pages.mayOffer = (origin) => hubOrigins.allows(origin);
pages.onHub = (frame, message) => { for (const link of links.all) link.pageFeed.registered(frame, message); };
pages.onProgress = (frame, told) => { for (const link of links.all) link.pageFeed.progressed(frame, told); };
pages.onAsked = (frame, question) => { for (const link of links.all) link.pageFeed.asked(frame, question); };
pages.onIntrospected = ({ tabId }) => { for (const link of links.all) link.pageFeed.changed(tabId); };
pages.onArrived = (frame) => {
  if (frame.frameId === 0) crashes.lives(frame.tabId);
  void watches.arrived(frame);
};
pages.onGone = (frame) => {
  activity.forget(frame.documentId);
  for (const link of links.all) link.pageFeed.gone(frame);
};
activity.follow();
downloads.onNews = (download) => links.send({ type: 'download', ...download });
watches.onChange = (tabId) => { for (const link of links.all) link.pageFeed.changed(tabId); };

chrome.runtime.onInstalled.addListener(({ reason }) => {
  links.ensure();
  void firstRun.installed(reason);
});
chrome.runtime.onStartup.addListener(() => links.ensure());
chrome.runtime.onConnect.addListener((port) => {
  links.ensure();
  const ownPage = port.sender?.url?.startsWith(ORIGIN) ?? false;
  // Reading it tells Chrome that the failure was noticed, or it is logged as an error.
  port.onDisconnect.addListener(() => void chrome.runtime.lastError);
  if (port.name === 'relay') {
    relays.accept(port);
    pages.accept(port);
    void hubOrigins.accept(port);
  }
  else if (PAGES.has(port.name) && ownPage) popup.accept(port);
  else if (port.name === 'pair' && ownPage) pairing.accept(port);
  else if (port.name === 'options' && ownPage) options.accept(port);
  else if (port.name === 'approve' && ownPage) approvals.accept(port);
});
chrome.alarms.onAlarm.addListener(async () => {
  links.ensure();
  void bootstrap.consider();
  for (const tabId of await tabs.unloaded()) links.touched(tabId);
});
void chrome.alarms.create(ALARM, { periodInMinutes: 0.5 });

followTabs({ links, navigation, frameWatch, bareWorlds, currentTabs, crashes, holds, fronts, watches, screencasts, keeper });
followNavigation({ links, tabs, navigation, pages, frameWatch, holds, fronts, actions: parts.actions, debugger: debug });
followDebugger({ links, debugger: debug, bareWorlds, crashes, screencasts });
chrome.downloads.onCreated.addListener((item) => downloads.created(item));
chrome.downloads.onChanged.addListener((delta) => void downloads.changed(delta));

void settings.load().then(({ gatewayPorts }) => guardPorts(gatewayPorts));
links.ensure();
void keepServers();
void showIcon();
void keeper.ensure();
void fronts.begin();
void focus.begin();
void relays.reachOnce(memory);
// Other frames come back by themselves.
void debug.attachedTabs().then((tabIds) => { for (const tabId of tabIds) agents.inTab(tabId).catch(() => undefined); });
