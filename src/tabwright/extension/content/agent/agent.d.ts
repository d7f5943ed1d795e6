/**
 * The shared object of the page agent and its parts, written once. Each file of content/agent registers one part;
 * parts meet only through `agent.get`. What only one folder uses stands in a file of its name there.
 * Classic scripts, so types are used by `import('./agent')` in JSDoc.
 */

import type {
  Act,
  Aim,
  Answers,
  Company,
  Complaints,
  Covers,
  Errands,
  Fading,
  Lasting,
  Late,
  Locate,
  Network,
  Newcomers,
  Notices,
  Pace,
  Pointing,
  Quiet,
  Rest,
  Settle,
  SettleSigns,
  Shell,
  Stillness,
  Talks,
  Turns,
  UnfoldingPart,
  Waiting,
  Watching,
} from './acting/acting';
import type {
  Controls,
  FieldSchema,
  Filters,
  FormPurpose,
  FormRun,
  FormSchema,
  FormUnits,
  FormWords,
  Introspection,
  Introspector,
  Lists,
  RowParts,
} from './derived/derived';
import type {
  Fill,
  FillingCalendar,
  FillingControls,
  FillingDates,
  FillingEditors,
  FillingKeepers,
  FillingLetters,
  FillingLists,
  FillingMany,
  FillingPopups,
  FillingRanges,
  FillingRich,
  FillingSegments,
  FillingStamps,
  FillingTrees,
  FillingValues,
  FillingWalk,
  FillingWidgets,
  Writing,
} from './filling/filling';
import type { FormSource, McpClients, Questions, ToolShape, ToolSource, ToolSources } from './offered/offered';
import type {
  Clickables,
  MenuHeads,
  SnapshotAlike,
  SnapshotBoxes,
  SnapshotDetailsPart,
  SnapshotNodesPart,
  SnapshotPaths,
  SnapshotReach,
  SnapshotShades,
  SnapshotStates,
  SnapshotText,
  SnapshotTree,
  SnapshotUndrawn,
} from './outline/outline';
import type { PageText, TextBlocks, TextLinesPart, TextMath } from './text/text';

/** The only door to `chrome.*`, absent where the agent travels by the debugger. */
export interface Adapter {
  openOrClosedShadowRoot(element: Element): ShadowRoot | null;
  readonly isTopFrame: boolean;
  /** Of this document; "null" for an opaque one. */
  readonly origin: string;
}

export interface Agent {
  /** Registers a part once; a second registration is ignored. `make` runs on the first `get`. */
  part<K extends keyof Parts>(name: K, make: (agent: Agent) => Parts[K]): void;
  get<K extends keyof Parts>(name: K): Parts[K];
  readonly adapter: Adapter;
  /** Offers something to the gateway, once; what it returns travels as JSON. */
  serve(name: string, service: Service): void;
  service(name: string): Service;
  /** A name that no page can guess. */
  unguessable(): string;
  /** An error with a code and a word that the gateway knows, like -32016 and `stale_ref`. */
  refusal(message: string, code: number, word: string): Error;
}

/** Text that is drawn but that nobody sees. */
export interface Unseen {
  /** Of no size, or where nobody can scroll. */
  isOutOfSight(element: Element, style: CSSStyleDeclaration): boolean;
  /** In the colour of what is behind it; `known` keeps what is behind what, for one reading. */
  isCamouflaged(element: Element, style: CSSStyleDeclaration, known: Map<Element, number[] | null>): boolean;
}

export type Service = (params: any, signal: AbortSignal) => unknown;

export interface Parts {
  tree: Tree;
  unseen: Unseen;
  texts: Texts;
  labels: Labels;
  headings: Headings;
  columns: Columns;
  split_rows: SplitRows;
  dom: Dom;
  names: Names;
  deeds: Deeds;
  roles: Roles;
  refs: Refs;
  menu_heads: MenuHeads;
  clickables: Clickables;
  snapshot_tree: SnapshotTree;
  snapshot_text: SnapshotText;
  snapshot_boxes: SnapshotBoxes;
  snapshot_reach: SnapshotReach;
  snapshot_shades: SnapshotShades;
  snapshot_states: SnapshotStates;
  snapshot_paths: SnapshotPaths;
  snapshot_alike: SnapshotAlike;
  snapshot_undrawn: SnapshotUndrawn;
  snapshot_nodes: SnapshotNodesPart;
  snapshot_details: SnapshotDetailsPart;
  fields: Fields;
  field_groups: FieldGroups;
  secrets: Secrets;
  shown_values: ShownValues;
  writing: Writing;
  fill: Fill;
  filling_values: FillingValues;
  filling_rich: FillingRich;
  filling_keepers: FillingKeepers;
  filling_segments: FillingSegments;
  filling_dates: FillingDates;
  filling_ranges: FillingRanges;
  filling_stamps: FillingStamps;
  filling_letters: FillingLetters;
  calendars: Calendars;
  filling_calendar: FillingCalendar;
  filling_editors: FillingEditors;
  filling_controls: FillingControls;
  filling_widgets: FillingWidgets;
  filling_lists: FillingLists;
  filling_popups: FillingPopups;
  filling_walk: FillingWalk;
  filling_trees: FillingTrees;
  filling_many: FillingMany;
  act: Act;
  boxes: Boxes;
  covers: Covers;
  locate: Locate;
  pointing: Pointing;
  waiting: Waiting;
  notices: Notices;
  complaints: Complaints;
  newcomers: Newcomers;
  network: Network;
  talks: Talks;
  errands: Errands;
  company: Company;
  watching: Watching;
  settle_signs: SettleSigns;
  fading: Fading;
  late: Late;
  aim: Aim;
  keys: Keys;
  unfolding: UnfoldingPart;
  turns: Turns;
  rest: Rest;
  shell: Shell;
  stillness: Stillness;
  answers: Answers;
  quiet: Quiet;
  settle: Settle;
  field_schema: FieldSchema;
  form_words: FormWords;
  form_purpose: FormPurpose;
  form_units: FormUnits;
  form_run: FormRun;
  forms: Introspector;
  actions: Introspector;
  rows: Introspector;
  tables: Introspector;
  paging: Introspector;
  filters: Filters;
  wording: Wording;
  controls: Controls;
  lists: Lists;
  row_parts: RowParts;
  page_text: PageText;
  text_lines: TextLinesPart;
  text_math: TextMath;
  text_blocks: TextBlocks;
  navigation: Introspector;
  reading: Introspector;
  introspection: Introspection;
  pace: Pace;
  lasting: Lasting;
  tool_shape: ToolShape;
  code_boxes: CodeBoxes;
  mcp_client: McpClients;
  questions: Questions;
  form_schema: FormSchema;
  source_forms: FormSource;
  source_native: ToolSource;
  source_mcpb: ToolSource;
  source_frames: ToolSource;
  source_standin: ToolSource;
  tool_sources: ToolSources;
}

export type JsonSchema = Record<string, unknown>;

export interface Annotations {
  readOnlyHint?: boolean;
  [hint: string]: unknown;
}

export interface Tool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  annotations?: Annotations;
  source: 'introspection' | 'generic' | 'webmcp' | 'mcp-b' | 'stand-in';
  outputSchema?: JsonSchema;
  /** Of the definition: a call says by it which one it means. */
  digest?: string;
  _meta?: Record<string, unknown>;
  [field: string]: unknown;
}

export interface CallToolResult {
  content: { type: string; text?: string; [field: string]: unknown }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

export type HubMethod = 'browser/registerTools' | 'browser/updateTools';

export interface HubMessage {
  jsonrpc: '2.0';
  method: HubMethod;
  params: HubParams;
}

export interface HubParams {
  tools: Tool[];
  tabUrl?: string;
  /** What a page server says of itself, and how many tools there are beyond those told. */
  extensions?: { browser?: Record<string, boolean>; omitted?: number };
}

/** How far a call is. */
export interface HubProgress {
  jsonrpc: '2.0';
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; total?: number; message?: string };
}

/** A page asks the person, in the middle of a call; in hub.md's newer or older spelling. */
export type HubQuestion =
  | { jsonrpc: '2.0'; id: string | number; method: 'browser/elicitConfirmation'; params: { message: string; callId?: string } }
  | { type: 'confirm-action'; requestId: string; message: string; callId?: string };

/** The tree of the page, shadow roots included. */
export interface Tree {
  /** What is found in one turn of the event loop, in which the tree cannot have changed under us: made anew in the next. */
  eachTurn<Found extends object>(make: () => Found): () => Found;
  /**
   * Elements of these tags, or with these marks, each an attribute selector like `[role=button]`, in document order;
   * the same as `queryAll` in a fraction of its time.
   */
  tagged(root: Document | ShadowRoot | Element, tags: string[], marks?: string[], max?: number): Element[];
  /** The same without looking into shadow roots. */
  taggedIn(root: Document | ShadowRoot | Element, tags: string[], marks?: string[], max?: number): Element[];
  /** Elements with an attribute, shadow roots left out; found once a turn. */
  marked(root: Document | ShadowRoot | Element, attribute: string): Element[];
  /** The node's own members, which the fields of a form may hide by their names. Only to read from: it is no node. */
  bare<T extends Node | null | undefined>(node: T): T;
  shadowOf(element: Element): ShadowRoot | null;
  /** Whether nothing is in it but, perhaps, blanks: plain elements with a closed shadow root are so. */
  isHollow(element: Element): boolean;
  /** Depth first through open and closed shadow roots, not into frames; false from `visit` skips what is below. */
  walk(root: Node, visit: (element: Element) => void | boolean): void;
  /** The root and every shadow root below it. */
  roots(root: Document | ShadowRoot | Element): (Document | ShadowRoot | Element)[];
  queryAll(root: Document | ShadowRoot | Element, selector: string): Element[];
  parentOf(node: Node): Element | null;
  closest(element: Element, selector: string): Element | null;
  /** `Node.contains` through shadow roots. */
  contains(outer: Node, inner: Node): boolean;
  /** Has a box and is not transparent, whatever its size: styles only, no layout. */
  /** The next element around, as it is drawn: slots and shadow roots included. */
  around(element: Element): Element | null;
  /** Elements around this one that cut off or scroll what is in them, nearest first. */
  clippers(element: Element): Element[];
  /** Left of or above the page, where nobody can scroll, except to the left where text runs that way. */
  isBeyond(element: Element, box: DOMRect): boolean;
  isRendered(element: Element): boolean;
  /** `display: contents`: its children show, though it has no box. */
  isBoxless(element: Element): boolean;
  /** A person can see it, perhaps after scrolling. */
  isVisible(element: Element): boolean;
  isEnabled(element: Element): boolean;
  /** Holds while the structure does; starts at the nearest stable id. */
  pathOf(element: Element): string;
  byPath(path: string): Element | null;
}

/** What a person reads. */
export interface Texts {
  /** How much, whether with marks that are hidden from readers and with icons that fonts draw by words, and without what. */
  textOf(node: Node, max?: number, how?: { marks?: boolean; icons?: boolean; but?: Element }): string;
  /** Text of the elements whose ids an attribute lists. */
  referred(element: Element, attribute: string, max?: number): string;
  attribute(element: Element, name: string): string;
  /** By `aria-labelledby` or `aria-label`. */
  ariaName(element: Element): string;
  collapse(text: string): string;
  cut(text: string, max: number): string;
  /** Without percent signs, as far as they encode anything. */
  decoded(part: string): string;
}

export interface Labels {
  /** What a person reads on it, at most 80 characters. */
  nameOf(element: Element): string;
  /** Without marks like `*` and `:`. */
  labelOf(field: Element): string;
  /** What a label says, without the words by which fonts draw icons, and without the field in it. */
  labelText(label: Element, field?: Element): string;
  rawLabelOf(field: Element): string;
  /** The line right before something, if it could name it. */
  wordsBefore(element: Element): string;
}

export interface Headings {
  /** Headings, legends and captions of one tree, in order; found once a turn. */
  headings(root: Node): Element[];
  /** The nearest legend, heading, caption or named section above. */
  headingOf(element: Element): string;
}

export interface SplitRows {
  /** All parts of the row that this is one of, in the order of the document. */
  partsOf(row: Element): Element[];
  /** Whether its label is that of the row beside it too. */
  isAdvice(row: Element): boolean;
}

/** The heads of tables and grids. */
export interface Columns {
  /** What the column of a cell is called; '' where nothing above it is. */
  titleOf(cell: Element): string;
  /** Where that title stands. */
  headOf(cell: Element): Element | undefined;
  /** Whether a row only names the columns. */
  isHeadRow(row: Element): boolean;
}

/** What an element is and is called, as the outline says it; the same element gives the same answer while it does not change. */
export interface Roles {
  roleOf(element: Element): string;
  nameOf(element: Element): string;
  /** What the picture of a set of icons on it is called; '' without one. */
  iconOf(element: Element): string;
}

/** An element as the gateway remembers it. */
export interface Target {
  agent: string;
  number: number;
  path: string;
  role: string;
  name: string;
}

/** Numbers for elements, which last as long as the document and this agent. */
export interface Refs {
  /** Of this agent: another one has other numbers. */
  readonly agent: string;
  numberOf(element: Element): number;
  elementOf(number: number): Element | undefined;
  /** Throws `stale_ref` if it is gone and nothing took its place that can only be the same; see refs.js. */
  resolve(target: Target): Element;
}

export interface Dom extends Tree, Texts, Labels, Headings {}

/** What a button says it does, in whatever language. */
export type Deed = 'search' | 'submit' | 'save' | 'apply' | 'add' | 'create' | 'register' | 'subscribe' | 'run' | 'cancel' | 'close'
  | 'reset' | 'back' | 'delete' | 'buy' | 'pay' | 'order' | 'log out' | 'unsubscribe' | 'next' | 'previous' | 'preview' | 'page'
  | 'select';

export interface Deeds {
  words(deed: Deed): string[];
  /** Whether a text begins with a word for one of these, or ends with it in languages where verbs do. */
  says(text: string, ...deeds: Deed[]): boolean;
  /** Whether it says nothing else. */
  is(text: string, ...deeds: Deed[]): boolean;
  /** The deed a text says, in English; '' for none. */
  named(text: string): Deed | '';
}

export interface Names {
  words(text: string): string[];
  /** `Star this repo (12)` becomes `star_repo`. Never empty. */
  verb(text: string, fallback?: string): string;
  /** `search` marks a lone search field, which is `query`. */
  property(field: { name?: string; id?: string; label?: string; search?: boolean }, fallback?: string): string;
  /** A second `search` becomes `search_2`. */
  unique(names: string[]): string[];
  /** The name of a form's tool; headings and ids with the best first. */
  form(hints: {
    submit?: string; headings?: string[]; ids?: string[]; labels?: string[]; purpose?: 'search' | 'login' | '';
  }): string;
}

/** One control, or the radios or checkboxes that belong together. */
export type Field = Element | Element[];

/** `picker` opens a list of options and takes no text; `stepped` is moved by keys; `checks` and `multiple` take several values. */
export type FieldKind = 'text' | 'number' | 'checkbox' | 'radios' | 'checks' | 'select' | 'multiple' | 'combobox'
  | 'picker' | 'editable' | 'stepped';

export interface Choice {
  label: string;
  /** What the page shows, where the label leaves a count out. */
  shown?: string;
  value: string;
  element: Element;
}

export interface ShownValues {
  /** What a list shows as chosen beside the field that is typed into, each with what takes it away. */
  chosen(element: Element): { label: string; remover: Element | null }[];
  /** What a list that opens shows as its choice, where its input holds nothing. */
  shownValue(element: Element): string;
}

/** Fields whose value nobody is told. */
export interface Secrets {
  /** Passwords, codes and cards: what stands in it is told to nobody. */
  isSecret(field: Field): boolean;
  /** Notes the passwords of the page, before something is done that may make fields of text of them. */
  rememberSecrets(): void;
  /** A text without the values given to secret fields. */
  withoutSecrets(text: string, given: { field: Field; value: unknown }[]): string;
}

export interface Fields {
  /** Matches whatever may be a field. */
  readonly SELECTOR: string;
  /** Whatever may be a field within a part of the page. */
  within(root: Document | ShadowRoot | Element, max?: number): Element[];
  /** The fields among elements that a person could fill in, groups put together. */
  collect(elements: Element[], isVisible: (element: Element) => boolean): Field[];
  /** Whether nobody can fill it in as it is. */
  isReadOnly(element: Element): boolean;
  /** The tick of a row, where all rows can be ticked at once. */
  isTick(element: Element): boolean;
  kindOf(field: Field): FieldKind;
  labelOf(field: Field): string;
  /** What can be chosen; labels are unique. */
  options(field: Field): Choice[];
  /** `isShown`: with the counts that choices are shown with. */
  currentValue(field: Field, isShown?: boolean): unknown;
  /** Whether a list that opens takes several values. */
  takesMany(element: Element): boolean;
  /** Whether a button only serves the list it is drawn into: its arrow, a chip, a cross. */
  isPart(button: Element): boolean;
  /** The native list that was hidden for a drawn one. */
  behind(element: Element): HTMLSelectElement | null;
  /** Of two lists between which options are moved: for the one that holds the chosen ones, that with the others. */
  poolOf(element: Element): HTMLSelectElement | null;
  /** An editor of code, which sends nothing when Enter is pressed. */
  isCode(field: Field): boolean;
  /** Whether an option or a hint only asks for a choice: "---", "Please select". */
  isAsking(text: string): boolean;
}

/** Controls that are one field together. */
export interface FieldGroups {
  /** What holds radios together. */
  groupOf(element: Element): Element | null;
  /** What holds boxes together that have no names, if it is called something. */
  boxesAround(box: Element): Element | null;
  labelOf(all: Element[]): string;
  /** What a button is called that shows the choice of a list, without that choice. */
  listLabelOf(button: Element): string;
  /** Whether a button shows a day, or asks for one, and opens a calendar. */
  isDay(button: Element): boolean;
  /** Whether the field is another part's, which stands before it. */
  isFurtherPart(element: Element): boolean;
  /** What the date is called that a part belongs to. */
  dateLabelOf(part: Element): string;
}

/** `search`: the option does not show, and this is where to type what is looked for. */
export interface Found {
  choice?: { label: string; element: Element };
  choices: { label: string; element: Element }[];
  search?: HTMLInputElement;
}

export interface Day { year: number; month: number; day: number }

/** The days of the month that shows, in their order, and what is around them with its arrows. */
export interface Calendar { grid: Element; around: Element; days: Element[]; year: number; month: number }

export interface Calendars {
  /** The day that a date says as it is written for programs; null if it is none. */
  dayOf(text: string): Day | null;
  monthsTo(from: { year: number; month: number }, to: Day): number;
  /** Whether a text says that day, as far as it says one; null where it has no digits that are known here. */
  says(text: string, day: Day): boolean | null;
  /** As people of the page's language write it. */
  written(day: Day, style?: Intl.DateTimeFormatOptions): string;
  /** What holds the days of a month, wherever one shows. */
  shown(): Set<Element>;
  /** Which month it is; null if that cannot be told, or it is no calendar of a field outside of it. */
  read(grid: Element, element: Element): Calendar | null;
  /** What a day says of itself, if that is a whole date. */
  dateOf(cell: Element, grid: Element): Day | null;
  arrowOf(around: Element, grid: Element, way: 'next' | 'previous'): Element | null;
  /** What is around the days, without the field, from the inside. */
  aroundOf(grid: Element, element: Element, most?: number): Element[];
  isOff(cell: Element, grid: Element): boolean;
  /** The days that show as chosen. */
  marked(calendar: Calendar): Element[];
}

export interface Point {
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What is drawn where, in CSS pixels of this frame's viewport. */
export interface Boxes {
  /** Selects controls that pages hide to draw their own; a person clicks the label, or what is drawn around them. */
  CHOICES: string;
  /** Those of them that open a list. */
  PICKED: string;
  boxOf(element: Element): DOMRect;
  /** Several for words over several lines; its children's where it has none. */
  boxesOf(element: Element): Box[];
  /** The box of no size around a choice that alone is in it, where a widget is drawn around both. */
  hiderOf(element: Element): Element | null;
  imageOf(element: Element): Element | null | undefined;
  handleOf(element: Element): Element;
  /** Selects fields for text. */
  TYPED: string;
  /** Whether a field for text is transparent only until somebody writes there: its label lies in its place. */
  isUnderLabel(element: Element, isShown?: (element: Element) => boolean): boolean;
  view(): Box;
  overlap(one: Box, other: Box): Box;
  isThere(box: Box): boolean;
  inside(element: Element): Box;
  reveal(element: Element, box: () => Box, always?: boolean): Promise<void>;
  /** Scrolls an element into sight that a person could see there, and does not now. */
  bring(element: Element): Promise<void>;
  deepest(x: number, y: number): Element | null;
  /** From this frame's viewport to what is in sight, and back: they differ where the page is pinched. */
  told(point: Point): Point;
  untold(point: Point): Point;
  frameAt(place: number): Element | undefined;
  placeOf(frame: Element): number;
  contentOf(frame: Element): { left: number; top: number; wide: number; high: number };
}

/** Whether somebody took the key, so that the browser itself does nothing, is what they tell. */
export interface Keys {
  down(element: Element, key: string, held?: KeyboardEventInit): boolean;
  /** And lets go of it. */
  press(element: Element, key: string, held?: KeyboardEventInit): boolean;
}

export interface Settled {
  /** Anything changed at all, seen or unseen. */
  changed: boolean;
  /** What changed, in one to four short lines. */
  lines: string[];
  navigated: boolean;
  /** What the form says is wrong, as `label: message`. */
  errors: string[];
  /** The page came to rest before the wait was over. */
  rested?: boolean;
  /** And sooner than if others could change it, of whom the worker knows. */
  early?: boolean;
  /** The wait was over before answers of the network were there. */
  waits?: boolean;
  /** What came and can be used, in place of the line of its words. */
  news?: (string | Outlined)[];
}

/** A node of an outline as it travels; see snapshot_nodes.js. */
export type WireNode = [depth: number, role: string, name: string, states: string, clickable: 0 | 1, number: number, path: number,
  x: number, y: number, width: number, height: number, extra: Record<string, unknown> | undefined];

/** A part of a page as an outline tells it. */
export interface Outlined {
  agent: string;
  nodes: WireNode[];
  steps: [number, string][];
}

export interface Wording {
  words(text: string): string[];
  singular(word: string): string;
  /** What the rows of a list with this heading are called, or ''. */
  thing(text: string): string;
  /** A button's text without counts, shortcuts and signs. */
  plain(text: string): string;
  /** At most five words without determiners. */
  phrase(text: string): string;
  /** `Star this repository` is about a repo; else ''. */
  subject(text: string): string;
  /** What an icon shows, from class names and the like; else ''. */
  picture(tokens: string): string;
  /** The noun in a class name such as `product-card`; else ''. */
  className(token: string): string;
  isDestructive(text: string): boolean;
}

export interface CodeBoxes {
  /** The boxes that this one is among. */
  of(element: Element): HTMLInputElement[] | null;
  /** What a box is called without what says which one it is. */
  stemOf(text: string): string;
  labelOf(boxes: HTMLInputElement[]): string;
  valueOf(boxes: HTMLInputElement[]): string;
  /** Of a code that may be written in parts: "123-456". */
  charactersOf(text: string): string[];
}
