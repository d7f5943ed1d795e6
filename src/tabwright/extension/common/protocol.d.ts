/** Shapes on the local link, written once. docs/extension.md says when each travels. */

export type Id = number | string | null;

/** `id` is absent on a notification. */
export interface Request {
  id: Id | undefined;
  method: string;
  params: unknown;
}

export interface TypedMessage {
  type: string;
  [field: string]: unknown;
}

export interface TabInfo {
  id: number;
  title: string;
  url: string;
  active: boolean;
  windowId: number;
  groupId: number;
  openerTabId?: number;
  discarded: boolean;
  /** Changes exactly when the tab shows another document; null while it has none (discarded, not yet loaded). */
  documentId: string | null;
  status: string;
  /** Where the tab is on its way to, while the server there has not answered. */
  pendingUrl?: string;
}

export interface BrowserInfo {
  name: string;
  version: string;
}

/** A file the browser saves. `filename` is its path, empty until that is known; `total` is -1 where nobody says. */
export interface DownloadInfo {
  id: number;
  url: string;
  referrer: string;
  filename: string;
  state: string;
  bytes: number;
  total: number;
  error?: string;
  /** Where a navigation of this tab became the download. */
  tabId?: number;
}

export type Outgoing =
  | { type: 'hello'; protocol: 1; extensionId: string; profileId: string; nonce: string; pairing?: true }
  | { type: 'proof'; proof: string }
  | { type: 'ping' }
  | { type: 'pong' }
  | { type: 'connected'; browser: BrowserInfo; extension: string; tabs: TabInfo[]; attached: number[]; launched: boolean }
  | { type: 'disconnected' }
  | { type: 'tabCreated'; tab: TabInfo }
  | { type: 'tabUpdated'; tab: TabInfo }
  | { type: 'tabClosed'; tabId: number; reason?: 'crashed' }
  | { type: 'tabFocused'; tabId: number; tools: PageTool[] }
  | { type: 'toolsChanged'; tabId: number; tools: PageTool[] }
  | ({ type: 'tabMessage'; message: HubMessage | HubQuestion | HubProgress; path?: string } & FrameAddress)
  | { type: 'frameGone'; tabId: number; frameId: number; documentId: string }
  | { type: 'toolResult'; callId: unknown; result?: unknown; error?: string }
  | { type: 'popupOpened'; tabId: number; openerTabId: number }
  | { type: 'tabReleased'; tabId: number }
  | { type: 'sessionStopped'; sessionId: string; stopped: boolean }
  | { type: 'lookedAt'; grants: boolean; calls: boolean }
  | { type: 'grantRevoked'; grantId: string }
  | { type: 'dashboardWanted' }
  | ({ type: 'download' } & DownloadInfo)
  | { type: 'error'; message: string }
  | { jsonrpc: string; [field: string]: unknown };

export interface PageTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  source?: string;
  [field: string]: unknown;
}

/** A tool with the document that offers it. */
export type PlacedTool = PageTool & Omit<FrameAddress, 'tabId'>;

/** Which document of which frame; written by the worker from what Chrome says, never by the page. */
export interface FrameAddress {
  tabId: number;
  frameId: number;
  documentId: string;
  /** "null" for an opaque one. */
  origin: string;
}

/** Notification of a page's tools. */
export interface HubMessage {
  jsonrpc: '2.0';
  method: 'browser/registerTools' | 'browser/updateTools';
  params: { tools: PageTool[]; tabUrl?: string; extensions?: object };
}

/** A page asks the person in the middle of a call. */
export type HubQuestion =
  | { jsonrpc: '2.0'; id: string | number; method: 'browser/elicitConfirmation'; params: { message: string; callId?: string } }
  | { type: 'confirm-action'; requestId: string; message: string; callId?: string };

/** A page server tells how far a call is. */
export interface HubProgress {
  jsonrpc: '2.0';
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; total?: number; message?: string };
}

/** MCP's result of a tool call. */
export interface CallToolResult {
  content: { type: string; text?: string; [field: string]: unknown }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** Worker to frame, on its port. */
export type FrameRequest =
  | { id: number; method: 'introspect' | 'whereabouts'; params: object }
  | { id: number; method: 'watch'; params: { on: boolean } }
  | { id: number; method: 'runTool'; params: { name: string; arguments: object; digest?: string } }
  | { id: number; method: 'hub'; params: { message: object } }
  | { id: number; method: 'serve'; params: { service: string; params: object; observe?: boolean } }
  | { cancel: number }
  | { network: number; told: number }
  | { rest: boolean };

/** Frame to worker. */
export type FrameMessage =
  | { begun: number }
  | { id: number; result: unknown }
  | { id: number; error: { message: string; code?: number; word?: string } }
  | { event: 'hub'; message: HubMessage | HubQuestion | HubProgress; path?: string }
  | { event: 'introspected'; tools: PageTool[] }
  | { event: 'still'; heard: string[] };

export interface HeldSession {
  id: string;
  /** The link and connection that told of it. */
  by?: string;
  name: string;
  color: string;
  /** The person stopped it, and has not let it go on. */
  stopped: boolean;
  tabs: { tabId: number; claimed: boolean }[];
}

/** What the person sees of the link. */
export type LinkState = 'off' | 'unpaired' | 'looking' | 'connected' | 'wrong-server' | 'refused';

export interface Config {
  url: string;
  profileId: string;
  /** 64 hex digits; absent until paired. */
  key: string | undefined;
  /** This browser was launched by the gateway and must outlive its last tab. */
  keeper: boolean;
  /** It was launched without windows: nobody sees what is asked in it. */
  headless: boolean;
  keeperTabId: number | undefined;
  /** Loopback ports of the gateway, where they are not the usual ones. */
  gatewayPorts: string[];
  /** No config.json: this browser may ask the native host. */
  native: boolean;
  dialect: 'tabwright' | 'tabs';
  /** The person pressed Disconnect. */
  paused: boolean;
  /** The first-run page may be opened here, and whether it was. */
  wantsWelcome: boolean;
  welcomed: boolean;
  /** Whose pages may register tools, as the gateway told last; none: all. */
  hubOrigins: string[];
  servers: Server[];
  /** What clients of servers may do without being asked about. */
  consents: Consent[];
  gateways: TrustedGateway[];
  /** Fingerprints of gateways that whoever set this browser up trusts, for nobody sits at it. */
  vouchedGateways: string[];
}

/** A class of commands that the person agreed to for good: of one server's clients, on one exact origin. */
export interface Consent {
  id: string;
  server: string;
  origin: string;
  kind: string;
  since: number;
}

/** A gateway elsewhere that asks by its own rules; `id` is the digest of its key. */
export interface TrustedGateway {
  id: string;
  server: string;
  name: string;
  since: number;
}

/** A hosted proxy through which clients elsewhere reach this browser. */
export interface Server {
  id: string;
  /** With its path. */
  url: string;
  /** Leaves the worker only towards that server. */
  token: string;
  on: boolean;
}

/** What the person sees of a server: never its token. */
export interface ServerView {
  id: string;
  url: string;
  on: boolean;
  state: LinkState;
  /** Whose browser it is there, once connected. */
  user: string;
  /** Clients connected to this browser through it. */
  clients: number;
  reason: string;
  nextTryAt?: number;
  /** The last characters of the token; empty where there is none. */
  tokenEnd: string;
  expires?: number;
}

/** Worker to options page. */
export interface OptionsView {
  paused: boolean;
  state: LinkState;
  /** The gateway's address. */
  url: string;
  /** Name and version. */
  browser: string;
  profileId: string;
  launched: boolean;
  gatewayPorts: readonly string[];
  hubOrigins: string[];
  servers: ServerView[];
  /** What the person allowed those who come through servers, for good. */
  allowed: AllowedView[];
  /** What became of the last entry. */
  outcome?: { saved: string } | { field: 'url' | 'token'; message: string };
}

export interface AllowedView {
  id: string;
  /** The server's address. */
  server: string;
  what: string;
  since: number;
}

/** Options page to worker. */
export type OptionsPress =
  | { press: 'save'; id?: string; url: string; token: string }
  | { press: 'remove'; id: string }
  | { press: 'switch'; id: string; on: boolean }
  | { press: 'revoke'; id: string }
  | { press: 'retry' };

/** Worker to popup, side panel and first-run page. */
export interface PopupView {
  state: LinkState;
  url: string;
  bootstrap: BootstrapView;
  servers: ServerView[];
  sessions: SessionView[];
  questions: ApprovalView['questions'];
  /** The server speaks the plain tabs protocol and tells nothing of what it does. */
  isMute: boolean;
  /** Whether anybody has told grants or calls since they are looked at. */
  isTold: boolean;
  grants: GrantView[];
  /** Newest first. */
  calls: CallView[];
  /** Answers `knock`. */
  gateway?: 'absent' | 'there' | 'pairing';
}

export interface SessionView {
  id: string;
  name: string;
  color: string;
  stopped: boolean;
  tabs: HeldTabView[];
}

/** Those pages to worker. */
export type PopupPress =
  | { press: 'connect' | 'disconnect' | 'options' | 'dashboard' | 'knock' | 'bootstrap' }
  | { press: 'stop' | 'resume'; sessionId: string }
  | { press: 'show' | 'takeBack'; tabId: number }
  | { press: 'revoke'; grantId: string }
  | { press: 'answer'; askId: string; answer: string; chosen?: string[] };

/** What the person allowed for longer than once. */
export interface GrantView {
  id: string;
  origin: string;
  /** The action class. */
  kind: string;
  /** Empty: any. */
  client: string;
  /** The one page tool it is for; empty where it is for the site. */
  tool: string;
  scope: string;
}

/** A call that has ended: never what it was called with. */
export interface CallView {
  number: number;
  endedAt: number;
  sessionId: string;
  client: string;
  tool: string;
  tabId: number | null;
  origin: string;
  outcome: string;
  ms: number;
}

/** How it goes with the native host, which starts the gateway and pairs; `absent`: there is none. */
export interface BootstrapView {
  state: 'idle' | 'asking' | 'absent' | 'failed';
  reason: string;
}

export interface HeldTabView {
  tabId: number;
  title: string;
  host: string;
  claimed: boolean;
}

/** What the person is asked, as the gateway words it. */
export interface Question {
  askId: string;
  client: string;
  /** The site it is about; empty if it is about none. */
  origin: string;
  tool: string;
  /** The action class. */
  kind: string;
  question: string;
  /** Whether a yes may be good for longer than once. */
  lasting: boolean;
  details: { name: string; value: string }[];
  /** What a yes covers, each of which the person may strike out; none: it is one thing. */
  choices?: string[];
  seconds: number;
}

export type Answer = 'once' | 'session' | 'always' | 'deny' | 'timeout';

/** `chosen` is what the person left of the choices. */
export interface GivenAnswer {
  answer: Answer;
  chosen?: string[];
}

/** Worker to approval window: what is still open, oldest first. */
export interface ApprovalView {
  questions: (Question & { until: number })[];
}

/** Worker to pair page. */
export type PairingView =
  | { state: 'connecting' }
  | { state: 'paired'; digits: string }
  | { state: 'refused'; reason: string }
  | { state: 'absent'; url: string };
