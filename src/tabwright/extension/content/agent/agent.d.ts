/**
 * The shared object of the page agent and its parts, written once. Each file of content/agent registers one part;
 * parts meet only through `agent.get`. Classic scripts, so types are used by `import('./agent')` in JSDoc.
 */

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

// What travels.

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

// Parts of the page agent.

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

/** What opens something when it is pointed at. */
export interface MenuHeads {
  /** Selects what can be used without a handler of its own. */
  CONTROLS: string;
  /** The controls, or else what holds them, to be pointed at for something to show that does not now. */
  all(): Set<Element>;
  /** Whether something to use in it or after it does not show. */
  opensBeside(element: Element): boolean;
}

/** What a person could click or type into. */
export interface Clickables {
  /** What the page listens on is asked for once a pass. */
  begin(): ClickablesPass;
}

/**
 * Why a person could use an element: it is a `control`, it `looks` so, the page only has `heard` of clicks there, or it
 * can be dragged, dropped on or pointed at (`moved`); else ''.
 */
export type Why = '' | 'control' | 'looks' | 'heard' | 'moved';

export interface ClickablesPass {
  /** `within`: why that can be used whose part it is, and whose looks it has. `style` is its own. */
  why(element: Element, role: string, within: Why, style: CSSStyleDeclaration): Why;
  /** What else can be done with it than clicking: `hover` opens something, `draggable`, `droppable`. */
  marksOf(element: Element, style: CSSStyleDeclaration): string[];
}

export interface SnapshotBoxes {
  /** Whether something in an element that is not drawn may be drawn. */
  mayHold(element: Element, style: CSSStyleDeclaration): boolean;
  /** Folded up: what is in it overflows a box without size and is cut off. */
  isClosedOff(element: Element, style: CSSStyleDeclaration): boolean;
  /** An svg with parts to be used, where an icon is a part of what it is in. */
  isDrawing(svg: Element): boolean;
  /** Where a person would click it, or null where nobody can see it; `shown`: it is drawn at all. */
  boxOf(element: Element, shown: boolean): DOMRect | null;
}

/** An element that is told, or the text between elements. */
export interface SnapshotNode {
  depth: number;
  role: string;
  name: string;
  /** Separated by spaces. */
  states: string;
  clickable: boolean;
  /** Its ref's number; 0 for text. */
  number: number;
  /** The place of its path among the steps; -1 where it has none yet. */
  path: number;
  /** x, y, width and height in the viewport. */
  box: [number, number, number, number];
  /** What not every one has, by the short names of the wire. */
  extra: Record<string, any> | undefined;
}

export interface SnapshotNodesPart {
  begin(): SnapshotNodes;
  /** As they are sent. */
  wire(nodes: SnapshotNode[]): any[][];
}

/** The nodes that are told so far; places are where one stands among them. */
export interface SnapshotNodes {
  readonly list: SnapshotNode[];
  at(place: number): SnapshotNode;
  add(node: SnapshotNode): number;
  /** Text, or structure of which more is known at its end. */
  addUnplaced(depth: number, role: string, name: string): number;
  /** Makes the one there not clickable itself, if it listens for what is in it. */
  demote(place: number): void;
  /** Whether it is a cell or list item, which may hold a control that says all it says. */
  isHolder(place: number): boolean;
  /** Around controls of which it says nothing more: pressing one of them is pressing both. `isSilent`: it has no text. */
  isWrapper(place: number, isSilent: () => boolean): boolean;
  /** A web component and the field it is drawn with, or a button in a button, which say the same. */
  isTwice(place: number): boolean;
  /** Drops it, and what is in it stands in its place. */
  unwrap(place: number): void;
}

export interface SnapshotDetailsPart {
  begin(): SnapshotDetails;
}

/** What only some nodes have, by the short names of the wire. */
export interface SnapshotDetails {
  /** The last one before the element. */
  heading: string;
  extraOf(element: Element, role: string, name: string, clickable: boolean): Record<string, any>;
  /** What helps to find it by words. `row`: what it is in, of many alike. */
  findableBy(element: Element, role: string, name: string, row: Element | undefined): Record<string, any>;
}

/** What a shade over the whole page leaves to be used. */
export interface SnapshotShades {
  /** The places of nodes that can be used though a shade lies over the page; null where none does. */
  placesLeft(nodes: SnapshotNode[], hitAt: (node: SnapshotNode) => { hit: Element | null; isFree: boolean } | undefined): Set<number> | null;
}

/** Of the nodes of a snapshot those that can be used while a dialog is open, and how many cannot. */
export interface SnapshotReach {
  reachable(nodes: SnapshotNode[]): { nodes: SnapshotNode[]; behind: number };
}

export interface SnapshotText {
  /** What is drawn of its text; `hidden`: also what is hidden from screen readers; `without`: but not of these. */
  read(element: Element, max: number, hidden?: boolean, without?: Set<Element>): string;
  /** A text of the element without the gaps that only its mark-up makes: "O pen" is drawn as "Open". */
  joined(element: Element, text: string): string;
}

/** What tells controls of one name apart. */
export interface SnapshotAlike {
  /** Puts it into the nodes of a snapshot. */
  tell(nodes: SnapshotNode[]): void;
}

export interface SnapshotUndrawn {
  /** Of each list that draws only what is in view: the number of its first control or 0, how many rows are drawn, of how many. */
  undrawn(nodes: SnapshotNode[]): number[][];
}

export interface SnapshotTree extends Tree {
  /** The labels of a field, as `labels` has them. */
  labelsOf(field: Element): HTMLLabelElement[];
}

/** What is told of an element beside its role and name. */
export interface SnapshotStates {
  statesOf(element: Element, role: string, focused: Element | null): string[];
  /** What a list shows, without the label that it draws in itself. */
  withoutLabel(element: Element, role: string, held: string): string;
  /** What stands in it; undefined where nothing can, `•••` for secrets. */
  valueOf(element: Element, role: string): string | undefined;
  /** Labels of what can be chosen in it. */
  optionsOf(element: Element): string[];
  levelOf(element: Element): number;
  /** The focused element, through shadow roots. */
  focused(): Element | null;
}

/** Paths as `tree.byPath` reads them, told once for all elements: each is the number of its parent's and a step. */
export interface SnapshotPaths {
  begin(): { of(element: Element): number; readonly steps: [number, string][] };
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

export interface FieldDescription {
  property: string;
  schema: JsonSchema;
  required: boolean;
  label: string;
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

export interface FieldSchema {
  /** Null for a field with nothing to choose; `search` marks a lone search field. */
  describe(field: Field, search?: boolean): FieldDescription | null;
}

/**
 * `problem` says why a value did not stick, or what a person should know though it did. `isBlank`: its list showed no
 * options at all.
 */
export interface Outcome {
  ok: boolean;
  value: unknown;
  problem?: string;
  isBlank?: boolean;
  /** Some of what was wanted is chosen, or something was taken away: `problem` says what is so now. */
  isPartly?: boolean;
  /** The list takes several, and is left open. */
  isMany?: boolean;
  /** The option that was chosen. */
  label?: string;
}

/**
 * `before`: the lists that showed while the field was closed. `many`: one of several that are wanted. `keep`: what is
 * chosen already stays so, where a click would take it back.
 */
export interface Choosing {
  before?: Set<Element>;
  many?: boolean;
  keep?: boolean;
}

export interface Fill {
  /** `plain` types without choosing from suggestions; `stay` keeps the focus there. */
  set(field: Field, value: unknown, how?: { plain?: boolean; stay?: boolean }): Promise<Outcome>;
  /** Chooses one in a list that opens. */
  one(element: Element, text: string, how: Choosing): Promise<Outcome>;
}

/** What a field's owner is told, and how far what it holds is what was written. */
export interface Writing {
  /** `composed`: it leaves shadow roots. */
  event(element: Element, type: string, composed?: boolean): void;
  moveFocus(element: Element, type: 'focus' | 'blur'): void;
  /** Types over what is there. */
  write(element: Element, text: string): void;
  /** Presses it, as those expect who open a list by that. */
  point(element: Element): void;
  /** The same as far as it counts: fields write numbers and dates in their own way. */
  isAlike(held: string, text: string): boolean;
  /** Without spaces and marks that nobody sees. */
  squeezed(text: string): string;
  /** Waits for it, within bounds; whether it came. */
  taken(isTaken: () => boolean, most?: number): Promise<boolean>;
}

export interface FillingMany {
  /** Exactly these of a list that opens. */
  set(element: Element, wanted: string[]): Promise<Outcome>;
  /** Exactly these as tags, each typed and entered; null where a field takes none. */
  enter(field: HTMLInputElement, wanted: string[]): Promise<Outcome | null>;
}

/**
 * What a ref leads to. `code`: an editor with a text of its own; `pressed`: a button that stays down; `stepped`: a
 * slider drawn by hand; `segment`: a part of a date or time; `listbox`: options in sight; `opens`: a list made of plain
 * elements.
 */
export interface Control {
  kind: 'field' | 'code' | 'pressed' | 'stepped' | 'segment' | 'listbox' | 'opens';
  field: Field;
  /** The one of the group that was named. */
  radio?: Element | null;
  option?: HTMLOptionElement;
}

export interface FillingControls {
  /** Throws what is wrong if there is no control, or more than one. */
  /** `isDated`: what is wanted is a day, or a range of days, which a button that opens a calendar takes, too. */
  of(element: Element, isDated?: boolean): Control;
  /** Throws why a person could not fill it in now. */
  check(control: Control, isPicked?: boolean): void;
}

export interface FillingValues {
  /** The value as the field spells it; throws what it takes instead. */
  fit(field: Field, value: unknown): unknown;
  isYes(value: unknown): boolean;
}

/** `search`: the option does not show, and this is where to type what is looked for. */
export interface Found {
  choice?: { label: string; element: Element };
  choices: { label: string; element: Element }[];
  search?: HTMLInputElement;
}

/** The list a field opens. `before` are the lists that showed while it was closed: they are not its own. */
export interface FillingLists {
  pick<T extends { label: string; shown?: string; value?: string }>(choices: T[], wanted: string): T | undefined;
  offered(choices: { label: string }[]): string;
  isSelected(option: Element): boolean;
  /** What of an option is clicked. */
  wordsOf(option: Element): Element;
  /** Clicks the option, unless it may be chosen with others and is already. */
  choose(element: Element, wanted: string, how: { before: Set<Element>; isMany?: boolean; keep?: boolean; isAwaited?: () => boolean }): Promise<Found>;
  /** Whether it soon offers something else than these. */
  changes(element: Element, before: Set<Element>, choices: { label: string }[]): Promise<boolean>;
  /** Whether the open list shows that it takes several. */
  isMany(element: Element, before: Set<Element>): boolean;
  /** What it offers now. */
  labels(element: Element, before: Set<Element>): string[];
  /** What it shows as chosen. */
  marked(element: Element, before: Set<Element>): string[];
  /** Takes back what is chosen and not kept; what is marked as chosen then, and all it offers. `open` opens the list where it closes. */
  drop(element: Element, isKept: (label: string) => boolean, how: { before: Set<Element>; open: () => Promise<void> }): Promise<{ marked: string[]; offered: string[] }>;
  close(element: Element, before: Set<Element>): Promise<void>;
  /** Waits until a closed list is out of sight. */
  gone(element: Element, before: Set<Element>): Promise<void>;
  /** What an option opened instead of being chosen. */
  furtherThan(element: Element, choices: { label: string }[], before: Set<Element>): { label: string }[];
}

export interface FillingWalk {
  /** Whether a list has drawn all it has room for. */
  isWhole(shown: { element: Element }[]): boolean;
  /**
   * Asked again and again with what shows, and whether any of it is new, it scrolls on once what came by the last time is
   * drawn, and says whether there may be more.
   */
  walker(): (shown: { element: Element }[], isNew: boolean) => boolean;
}

export interface FillingTrees {
  /** Opens an option without choosing it, and says where what it opens shows; null where only a click could open it. */
  open(option: Element): Promise<'below' | 'beside' | null>;
  /** Those of the options that are below one of them. */
  below(choices: { label: string; element: Element }[], above: { label: string; element: Element }): { label: string; element: Element }[];
  /** Asked again and again with what shows, it opens the next closed row, and says whether there was one. */
  opener(): (choices: { element: Element }[]) => Promise<boolean>;
}

export interface FillingPopups {
  /** The lists that a field says are its own, shown or not. */
  named(element: Element): Element[];
  /** The lists of the page that show before a field is opened; none that it may have opened itself. */
  inSight(element: Element): Set<Element>;
  /** What holds the options of a field: its own list, else those that were not there `before`. */
  open(element: Element, before: Set<Element>): Element[];
  /** Where to type what is looked for, in the list that a field has opened. */
  searchOf(element: Element, before: Set<Element>): HTMLInputElement | null;
}

/** Each answers what stuck, or why it did not. */
export interface FillingWidgets {
  /** What is chosen in a list whose options show. */
  selected(list: Element): string | string[];
  step(slider: Element, wanted: number): Promise<{ ok: boolean; value: unknown; problem?: string }>;
  select(list: Element, wanted: string[]): Promise<{ ok: boolean; value: unknown; problem?: string }>;
  /** A list made of plain elements; `before` is what showed while it was closed. */
  open(opener: Element, wanted: string, before?: Set<Element>): Promise<Outcome>;
  /** What opens when a field is pressed that nobody types into: a list that is marked as one, or one made of plain elements. */
  press(field: Element, value: unknown): Promise<Outcome>;
  /** A list that opens; an array is all that is to be chosen. */
  choose(list: Element, value: unknown): Promise<Outcome>;
}

export interface FillingRich {
  /** Puts a text in the place of all that is there. The element has the focus. */
  set(element: Element, text: string): Promise<{ ok: boolean; value: unknown; problem?: string }>;
  /** Types a letter over all that is there, or nothing. The element has the focus. */
  type(element: Element, letter: string): Promise<void>;
  /** Resolves after the next frame, or soon without one. */
  frame(): Promise<void>;
  /** Whether all that an editor shows is what it draws in the place of a text. */
  isBlank(element: Element): boolean;
}

/** Hidden fields that editors copy their text into. */
export interface FillingKeepers {
  /** What resolves, once the editor was written into, as soon as its text is there; where nothing is awaited at once. */
  watch(element: Element): () => Promise<void>;
}

/** A part of a date or a time, edited in place. */
export interface FillingSegments {
  is(element: Element): boolean;
  /** What it shows; empty while that is only what it asks for. */
  current(element: Element): string;
  /** All parts of the date or time that one of them belongs to, and what input would be like it. */
  whole(element: Element): { parts: Element[]; shape: 'date' | 'time' | 'datetime-local' } | null;
  /** `isWhole`: whatever is given is for all parts. */
  set(element: Element, wanted: string, isWhole?: boolean): Promise<Outcome>;
}

export type DatePart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'half';

export interface FillingDates {
  /** All parts of the field that one of them belongs to, in the order they are drawn in. */
  partsOf(element: Element, selector: string): Element[];
  /** What a date or time says as it is written for programs; null if it is none. */
  read(text: string): Partial<Record<DatePart, string>> | null;
  /** What all parts together are, as an input's type; null where they are less than that, or more. */
  shapeOf(all: Element[]): 'date' | 'time' | 'datetime-local' | null;
  /** What each part is to show, in the order to fill them in; null where they do not fit the value. */
  spread(all: Element[], value: Partial<Record<DatePart, string>>): { part: Element; text: string }[] | null;
}

export interface FillingRanges {
  /**
   * The two ends that a value names for a field, as dates or times written for programs. One alone goes with the other
   * that shows already. Null if it names none.
   */
  read(element: HTMLElement, value: unknown): [string, string] | null;
  /** Whether a field is one end of what calls itself a range. */
  isEnd(element: Element): boolean;
  /** What both ends show of the range that a field is for. */
  shown(element: HTMLElement): string;
  /** Sets both ends of the range that a field is for; null if it is for none. */
  set(element: HTMLElement, ends: [string, string]): Promise<Outcome | null>;
}

export interface FillingLetters {
  /** Whether what a field shows is this text, or this number in whatever format. */
  says(held: string, text: string): boolean;
  /** Types it key by key over what a field holds; whether it shows then. */
  type(element: HTMLInputElement, text: string): Promise<boolean>;
}

export interface FillingStamps {
  /**
   * A date or time that a field refused, dropped or took for another is given in other words, and with Enter.
   * Otherwise what came of it; where nothing helps the field is given what it held before.
   */
  kept(element: Element, text: string, outcome: Outcome, was: string): Promise<Outcome>;
  /** How the same is written elsewhere. */
  spellings(text: string): string[];
  /** Writes it, and takes it over as a person would by Enter. */
  enter(element: HTMLInputElement, text: string): Promise<void>;
  /** Whether what a field shows says this. */
  says(held: string, text: string): boolean;
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

export interface FillingCalendar {
  /** What a field holds, or a button that opens a calendar says. */
  heldBy(element: Element): string;
  /** The calendars that show while the field is closed. */
  others(element: HTMLElement): Promise<Set<Element>>;
  /** Resolves when the calendar is there that the page waits with: it would open when the field has been left. */
  come(before: Set<Element>, isAwaited: () => boolean): Promise<void>;
  /** Chooses it in the calendar that the field opens, which is none of those before; null if it opens none. */
  pick(element: HTMLElement, day: Day, before: Set<Element>): Promise<Outcome | null>;
  /** The first and the last day of a range, which show in two fields, or twice in the same; null if there is no calendar. */
  pickBoth(ends: [HTMLElement, HTMLElement], days: [Day, Day], before: Set<Element>): Promise<Outcome | null>;
  /**
   * Chooses it where the field has opened a calendar that took what was typed for something else; else null. Where that
   * fails the field holds what it did before.
   */
  agree(element: HTMLElement, day: Day, about: { was: string; before: Set<Element>; isAwaited: () => boolean }): Promise<Outcome | null>;
}

export interface FillingEditors {
  isEditor(element: Element): boolean;
  /** Whether it draws its text itself, so that only the whole is there for a person to use. */
  isDrawn(element: Element): boolean;
  /** What in it has the focus while it is typed into. */
  receiver(editor: Element): Element | null;
  around(element: Element): Element | null;
  inside(element: Element): Element | null;
  /** The lines that are drawn now. */
  current(editor: Element): string;
  set(editor: Element, text: string): Promise<{ ok: boolean; value: unknown; problem?: string }>;
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

/** Where the pointer has to go; `problem`: `hidden`, `outside` of all that can be scrolled to, `covered`. */
export interface Spot {
  x?: number;
  y?: number;
  problem?: string;
  cover?: { role: string; name: string };
}

/** A point of a child frame. */
export interface InFrame {
  place: number;
  x: number;
  y: number;
}

export interface Covers {
  /** Whether the page shows a picture of itself, as it was before a view transition. */
  isPassing(): boolean;
  /** What `look` finds of the element, once what covers it and is about to go has gone, within bounds. */
  past<Found extends { cover?: Element | null }>(element: Element, look: () => Found): Promise<Found>;
}

export interface Locate {
  locate(params: { target: Target; scroll?: boolean }): Promise<
    Spot & { role: string; name: string; kind: string; disabled: boolean; box?: number[] }
  >;
  frameBox(params: InFrame & { scroll?: boolean }): Promise<Spot>;
  /** Place, x, y, width and height of each; null while what they show may be drawn elsewhere. */
  frameBoxes(): number[][] | null;
  pointed(point: Point): Promise<{ held: boolean }>;
  /** `select`, `color` and `file` open what no pointer of ours reaches. */
  kindOf(element: Element): string;
  optionsOf(element: Element): string[];
  say(element: Element): { role: string; name: string };
  /** What a person would call the thing in the way. */
  sayCover(cover: Element): { role: string; name: string };
  /** The nearest box around a hidden element that is drawn. */
  drawnAround(element: Element): Element | null;
  /** Whether a click on `hit` acts on the element. */
  reaches(element: Element, hit: Element): boolean;
  /** What somebody who clicks there means. */
  controlAround(hit: Element): Element;
}

export interface Pointing {
  hit(at: { x: number; y: number }): { role: string; name: string; kind: string; options: string[]; frame?: InFrame };
  focus(params: { target?: Target; x?: number; y?: number }): Promise<{
    focused: boolean; role: string; name: string; options: string[];
  }>;
  focused(): { role: string; name: string; editable: boolean; rich: boolean; frame: number; value?: string; secret?: boolean };
  secret(params: { target: Target }): { secret: boolean };
  scrollAt(params: { x: number; y: number; across: boolean; way: number; from?: number }): Promise<
    { position: number; most: number; what?: string }
  >;
}

export interface Waiting {
  until(wish: { text?: string; textGone?: string; target?: Target; ms?: number }, signal: AbortSignal): Promise<{ held: boolean }>;
}

/** Whether somebody took the key, so that the browser itself does nothing, is what they tell. */
export interface Keys {
  down(element: Element, key: string, held?: KeyboardEventInit): boolean;
  /** And lets go of it. */
  press(element: Element, key: string, held?: KeyboardEventInit): boolean;
}

export interface Act {
  /** Points at it; where. */
  hover(element: Element): { clientX: number; clientY: number };
  click(element: Element): Promise<void>;
  /** By its button, else as Enter would. */
  submit(form: Element, button?: Element | null): Promise<void>;
  pressEnter(element: Element): Promise<void>;
}

/** Requests that the tab sent since an action began and that are still under way, as the worker counts them. */
export interface Network {
  pending(): number;
  /** When the last one ended; 0 for never. */
  endedAt(): number;
  /** How many have ended so far. */
  endings(): number;
  /** Whether the page has read as many answers to what it asked for since a moment as have ended since there were so many. */
  isRead(since: number, before: number): boolean;
  /** The number of what the worker said last; 0 for nothing. */
  heard(): number;
  /** Whether the worker knows of whatever this document has opened. */
  isFollowed(): boolean;
  /** Number 0: whoever said so is gone, and another one counts anew. */
  update(pending: number, told: number): void;
  /** The port broke: nothing is known any more. */
  lose(): void;
}

/** What the page said to others who may answer. */
export interface Talks {
  /**
   * Whether an answer to what was said since then is outstanding, and when the last piece of one came, 0 for never; whether
   * there is a line by which others can be heard; and how many streams were opened since, which are requests without end.
   */
  since(from: number): { isAwaited: boolean; heardAt: number; hasLine: boolean; talksToItself: boolean; streams: number };
}

export interface Errands {
  /** Resolves once what was on its way to the page before is there, with how long that took. */
  run(): Promise<number>;
}

/** Notes what happens from now on. */
export interface Watching {
  /** With `hovering`, what lies where nobody can scroll counts as unseen, too. */
  start(how?: { hovering?: boolean }): Watch;
}

/** Who else could change the page. */
export interface Company {
  /** Tells, a moment later, whether nobody shows from within. */
  look(): () => boolean;
}

export interface Watch {
  readonly seen: Happened;
  /** Something new says that it is busy. */
  isBusy(): boolean;
  /** Something that is to be seen has not come to its full size. */
  isUnfolding(): boolean;
  stop(): void;
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

/** Something that came, and the words in it where they are told. */
export interface News {
  node: Node;
  text: string;
  /** The days of a calendar. */
  isMonth?: boolean;
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

export interface Newcomers {
  /** A calendar whose days were drawn anew, as another month or to show what is chosen. */
  monthOf(nodes: Iterable<Node>): Element | undefined;
  /** Words, and outlines of what can be used; nothing where nothing can be, or too much. */
  told(news: News[], isFilled?: boolean): (string | Outlined)[];
  /** The forms that these complaints are of; of large ones only what is complained of, and what sends them. */
  refused(complaints: Complaint[]): (string | Outlined)[];
}

/** What a person could notice before an action. */
export interface Noticed {
  url: string;
  title: string;
  heading: string;
  messages: Map<string, Element>;
  dialogs: Map<Element, string>;
  errors: string[];
}

/** What happened during an action. */
export interface Happened {
  /** When something changed last; 0 for never. */
  changedAt: number;
  /** When it was words that came or went; 0 for never. */
  wordsAt: number;
  /** When the page gave itself another address, for which it has something else to show; 0 for never. */
  movedAt: number;
  /** The frame after a change. */
  drawn: Promise<Drawn> | undefined;
  /** Those that were run from that change on. */
  errands: Promise<number> | undefined;
  /** The document ended. */
  gone: boolean;
  /** Another document is on its way, from `left`. */
  leaving: boolean;
  left: string;
  download: string;
  added: Set<Node>;
  /** Drawn anew with the same words. */
  redrawn: Set<Node>;
  /** Texts taken away. */
  removed: Set<string>;
  /** Fields the browser did not accept, with its reasons. */
  refused: Map<Element, string>;
  /** Controls that are in another state now, or were. */
  turned: Set<Element>;
  /** Titles of columns that a table began or ceased to be sorted by. */
  sorted: Set<Element>;
}

/** What a form says is wrong, as `label: message`, and the field it is said of, or where it stands. */
export interface Complaint {
  text: string;
  at: Element;
}

export interface Complaints {
  /** `refused`: fields that the browser itself refused, and why. */
  found(where: Element | Document, refused: Map<Element, string>): Complaint[];
}

export interface Notices {
  before(form?: Element): Noticed;
  /** Those that show, by what they are called. */
  dialogs(): Map<Element, string>;
  describe(earlier: Noticed, seen: Happened, form?: Element): Settled & { fresh: News[] };
  /** The lines without the words that came. */
  withoutFresh(lines: string[]): string[];
  /** What a person would notice on a page just arrived at; `failed`: a form came back with complaints, which are `refused`. */
  arrived(): { lines: string[]; failed: boolean; refused: Complaint[] };
}

/** What comes and goes step by step. */
export interface Fading {
  /** Tells whether something that began `since` then is about to be seen, or one of these dialogs about to go. */
  start(earlier: Map<Element, string>, since: number): { isUnderWay(): boolean };
  /** Animations that began since then and end. */
  running(since: number): KeyframeEffect[];
}

/** What unfolds or fades in since then. */
export interface Unfolding {
  /** The style of an element has changed, and was so before. */
  note(element: Node, before: string | null): void;
  isUnderWay(): boolean;
}

export interface UnfoldingPart {
  start(): Unfolding;
}

export interface Late {
  /** Whether something in this frame was written since, or pressed, by the pointer or Enter, and not to write into it. */
  isPressed(since: number): boolean;
  /**
   * What `look` tells, within bounds also of what comes late, where the page has asked for a timer (`hasTimed`), the gesture
   * is meant for this frame, and there is nothing to tell yet.
   */
  told<Told extends { lines: string[]; navigated: boolean }>(
    look: () => Promise<Told>,
    gesture: { seen: Happened; start: number; hasTimed: () => boolean; isMeant: () => boolean },
  ): Promise<Told>;
}

/** Why an element has no click that was meant for it: `again`: the press did nothing but move it, so it may be pressed anew. */
export type Missed = 'again' | 'moved' | 'astray' | 'covered';

export interface Aim {
  /** A click is meant for this element, by what is drawn for it. */
  at(element: Element, shown: Element): void;
  missed(seen: Happened): { missed?: Missed };
  end(): void;
}

/** What a gesture did that changes nothing on the page. */
export interface Signs {
  /** When something scrolled last; 0 if nothing did. */
  scrolledAt(): number;
  /** Whether it has not come to its end yet. */
  isScrolling(): boolean;
  /** Whether it would have led out of the browser, which was prevented. */
  isForeign(): boolean;
  /** The lines, or what happened where they say that nothing did. */
  tell(lines: string[]): string[];
  stop(): void;
}

export interface SettleSigns {
  start(): Signs;
  /** Whether they say no more than that nothing is to be seen. */
  isCalm(lines: string[]): boolean;
  /** What was scrolled so far was scrolled for the gesture to reach this element, and not by it. */
  reached(element: Element): void;
}

/** When a frame was drawn, and when and for how long the thread was idle then. */
export interface Drawn {
  at: number;
  idleAt: number;
  left: number;
}

/** Turns asked for here, and whether the page asked for some. */
export interface Turns {
  /** Whether the page has ever asked for a turn; asking makes Chrome draw a frame. */
  haveBeenAsked(): boolean;
  timer(action: () => void, ms: number): ReturnType<typeof setTimeout>;
  frame(action: FrameRequestCallback): number;
  idle(action: IdleRequestCallback): number;
  /** Resolves when the thread is idle after the next frame; `onFrame` is called in that frame. */
  draw(onFrame: () => void): Promise<Drawn>;
  /** Tells, whenever it is called, whether the page has asked for a turn since now. */
  since(): () => boolean;
  /** The same of frames alone, from the moment `since` was called last. */
  frameSince(): () => boolean;
  /** The same of idle callbacks alone. */
  idleSince(): () => boolean;
  /** The same of timers alone. */
  timerSince(): () => boolean;
}

/**
 * Whether a page asked for turns, whether it has changed, so that one that did not is believed for being idle, and the
 * frame that may have been asked for already.
 */
export interface Asking {
  hasAsked?: () => boolean;
  hasChanged?: boolean;
  errands?: Promise<number>;
  drawn?: { promise: Promise<Drawn>; after: number };
}

/** Whether a page has scripts and shows nothing yet, or empty boxes where something is to come. */
export interface Shell {
  isShell(): boolean;
}

/** Whether a page is still as soon as it has loaded. */
export interface Stillness {
  /** Tells once, when the page has loaded, if it is still: the addresses that it has heard from. */
  report(tell: (heard: string[]) => void): void;
  /** The first frame of a page of which that was told, while it is being drawn. */
  drawn(): Promise<unknown> | undefined;
}

export interface Rest {
  /** Time that passes in hidden tabs too, where Chrome slows ordinary timers to one a second or a minute. */
  pause(ms: number, off?: AbortSignal): Promise<void>;
  /**
   * Resolves once so many frames were drawn and nothing is due before `until`, but no later than `most`; whether it came
   * to rest.
   */
  restBefore(frames: number, until: number, how?: Asking & { most?: number }): Promise<boolean>;
  /** Resolves when the page's own idle callbacks have had their turn that it has asked for, but no later than so. */
  idled(ms: number): Promise<void>;
  /** Whether the page, once it has loaded, stays and does nothing more in the next moment. */
  rests(off: AbortSignal): Promise<{ rested: boolean; heard: string[]; streams: number }>;
}

/** An action whose consequences are noted. */
export interface Gesture {
  before: Noticed;
  watch: Watch;
  signs: Signs;
  /** When it began; and since when what the page says to others may be its doing. */
  since: number;
  said: number;
  /** How many requests had ended. */
  endings: number;
  /** Whether the page has asked since for a turn of its own, or for one of a kind. */
  asks: { any(): boolean; frame(): boolean; idle(): boolean; timer(): boolean };
  /** Whether nobody else shows who could change the page. */
  isAlone(): boolean;
}

/**
 * How long what is waited for, in ms. `rested`: after a change, or after none, where the page is at rest; `alone`: after a
 * change that nobody else could add to; `restless`: a page that never stops changing; `pieces`: after a piece of an answer that
 * may come in more; `push`: after an answer, or another address, that has shown nothing yet; `requests`: while answers are
 * outstanding; `leave`: until another page answers; `arrives`: the page has just come.
 */
export interface Patience {
  step: number;
  quiet: number;
  pieces: number;
  push: number;
  nothing: number;
  rested?: number;
  alone?: number;
  hidden: number;
  restless: number;
  requests: number;
  leave: number;
  arrives?: boolean;
}

/**
 * Why a wait is over. `left`: this document is; `leaving`: another one does not answer; `waits`, `empty`: answers, or anything to
 * see, did not come in time; `rested`: before the wait was over; `early`: the same, and sooner than if others could change the page.
 */
export type Verdict = 'over' | 'left' | 'leaving' | 'waits' | 'empty' | 'rested' | 'early';

export interface Quiet {
  after(gesture: Gesture, start: number, patience: Patience): Promise<Verdict>;
}

/** What the network, and those whom the page talks to, still owe it since a gesture began. */
export interface Answers {
  since(gesture: Gesture, patience: Patience, changedAt: () => number): {
    /** When an answer came last, or was last seen to be unread; 0 for never. */
    lastAt(): number;
    /** `isPatient`: answers to what the page said are waited for. */
    look(now: number, isPatient: boolean): { isPending: boolean; isDue: boolean };
  };
}

export interface Settle {
  /** `form`: where errors are looked for. */
  after(action: () => Promise<void>, options?: { form?: Element }): Promise<Settled>;
  /** What a person would notice on a page just arrived at; `failed`: a form came back with complaints, which is the `news`. */
  arrived(): { lines: string[]; failed: boolean; news?: (string | Outlined)[] };
  /**
   * Notes what happens from now on, for a gesture that comes from outside the page; `arriving`: or for its own loading;
   * `hovering`: the pointer only comes, and what shows may show late.
   */
  observe(params?: { arriving?: boolean; hovering?: boolean }): object;
  /** What the gesture put into a field is read once more when the page is quiet, and told with the rest. */
  reread(read: () => object): void;
  /** What came of it, once the page is quiet; `ms` is the longest wait, `patient`: others could change the page. */
  conclude(params: { ms?: number; patient?: boolean }): Promise<Settled & { title?: string; url?: string; held?: object; missed?: Missed; heard?: number; streams?: number }>;
}

/** What the words on a button mean for a form. */
export interface FormWords {
  /** It belongs to a field, or leads out of the form. */
  isAside(name: string): boolean;
  /** It never sends a form, were it the only one. */
  isNever(name: string): boolean;
  /** It only shows how it will look. */
  isPreview(name: string): boolean;
  /** It does something with code. */
  isRunning(name: string): boolean;
  /** Beside a search, it opens something else. */
  opensElse(name: string): boolean;
  /** It says what is done with the fields. */
  saysDeed(name: string): boolean;
  /** It may be that of a search, or of anything. */
  saysLittle(name: string): boolean;
  saysSearch(name: string): boolean;
  /** Drawn as a button, it is one of a form. */
  saysSent(name: string): boolean;
}

/** What a person sees as one form. */
export interface FormUnit {
  /** The form, the part of the page around fields and button, or a field that works by itself. */
  container: Element;
  fields: Field[];
  /** Those that send it, the usual one first. */
  buttons: Element[];
  form: HTMLFormElement | null;
  /** `set`: fields without a button, which act as soon as they change. */
  purpose: 'search' | 'login' | 'set' | '';
  /** Containers of all units of a list that look the same, this one first. */
  repeats: Element[];
  /** The heading of the part it is in, where the container holds others too. */
  section?: Element;
}

/** A field of a form and the property that fills it. */
export interface FormSlot extends FieldDescription {
  field: Field;
}

export interface FormRun {
  /** Fills in what `args` hold and sends the form. */
  send(unit: FormUnit, slots: FormSlot[], args: Record<string, unknown>): Promise<RunResult>;
}

/** What a form is for. */
export interface FormPurpose {
  /** Of several that stand for one field. */
  firstOf(field: Field): Element;
  /** Whether text is typed into it. */
  isTyped(field: Field): boolean;
  isProse(field: Field): boolean;
  looksLikeSearch(element: Element): boolean;
  /** By its fields and what its button says. */
  purposeOf(container: Element, found: Field[], submit: string): FormUnit['purpose'];
  /** Whether sending it surely changes nothing: a search by its button's words, or a lone search field. */
  onlyReads(unit: FormUnit): boolean;
}

export interface FormUnits {
  find(context: IntrospectionContext): FormUnit[];
  /** The unit of one of the repeated containers. */
  again(container: Element, context: IntrospectionContext): FormUnit;
}

/** One introspection pass: its introspectors share what was measured. */
export interface IntrospectionContext {
  root: Document;
  /** Also false for what an open modal dialog covers. */
  isVisible(element: Element): boolean;
  now: number;
  modal?: Element;
  /** Buttons that a form's tool presses; actions for them would say the same twice. */
  taken?: Set<Element>;
  /** What nobody looked at any more, because there was so much of it. */
  skipped?: number;
}

export interface RunResult {
  text: string;
  isError?: boolean;
  structured?: Record<string, unknown>;
}

export interface Candidate {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: Annotations;
  /** Usefulness, 0 to 1. */
  score: number;
  element: Element;
  run(args: Record<string, unknown>): Promise<RunResult>;
  /** Listed only where there is room left. */
  spare?: boolean;
  generic?: true;
  /** Longer names, best first, in case another tool has the same. */
  alternatives?: string[];
  /** The tool of the same rows that says which they are; what it is called in the end is told after the description. */
  rowsAs?: { first: Candidate, range: string };
  /** The boxes it sets, if it sets nothing else and nothing is sent; */
  sets?: Element[];
  /** and what it is without some of them. */
  without?(isOther: (box: Element) => boolean): Candidate | null;
  /** What it presses, if it only leads elsewhere. */
  leads?: Set<Element>;
  /** Whether it ticks this box of a row. */
  ticks?(box: Element): boolean;
}

export interface Introspector {
  find(context: IntrospectionContext): Candidate[];
}

// What buttons, rows and navigation are made of.

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

/** `row`: something that is pressed as a whole and is only worth a tool where it repeats; `box`: a checkbox. */
export type ControlKind = 'link' | 'button' | 'box' | 'row';

export interface List {
  container: Element;
  /** The row it was found by. */
  row: Element;
  /** Rendered rows in reading order; of a long list the first. */
  rows: Element[];
  members: Set<Element>;
  /** All rows, those not looked at included. */
  count: number;
  last: Element;
  /** Controls in the row it was found by. */
  pressed: number;
  /** The rows themselves are pressed. */
  itself: boolean;
}

export interface ListSearch {
  around(control: Element, kind: ControlKind): List | null;
  all(): List[];
}

export interface Lists {
  search(context: IntrospectionContext, scope: Document | Element, landmarks: Element[]): ListSearch;
  /** All rendered rows like this one, as they are now. */
  rowsOf(like: Element, max?: number): Element[];
  /** As they are read, however a list that draws few of them has put them into the document. */
  inOrder(rows: Element[]): Element[];
  /** Whether a row holds the days of a week, and nothing else. */
  isWeek(row: Element): boolean;
}

export interface RowShape {
  /** What one row is called: `thread`, `result`, else `item`. */
  thing: string;
  rowLabel(row: Element): string;
  mainOf(row: Element): Element | null;
  /** What the main control says where it says the same in every row; '' where it names the row; null: there is none. */
  mainLabel: string | null;
  verbs: { label: string; isLink: boolean; find(row: Element): Element | null }[];
  boxOf: ((row: Element) => Element | null) | null;
  /** What the column of the boxes is called; '' where they choose rows. */
  boxTitle: string;
}

export interface RowParts {
  /** What the rows of a list are called. */
  thingOf(list: { container: Element; row: Element }, main: Element | null, page: Document): string;
  of(list: List, context: IntrospectionContext): RowShape;
}

export interface Filters extends Introspector {
  /** What the page calls its filters: neither navigation nor rows. */
  regions(context: IntrospectionContext): Element[];
}

export interface ControlMap {
  /** The topmost modal dialog, else the document: nothing outside can be used now. */
  scope: Document | Element;
  modal: Element | null;
  dialogs: Element[];
  /** Navigation, headers, tables, dialogs, lists, tab lists and menu bars in scope. */
  landmarks: Element[];
  /** What surrounds controls, navigation included, with what it is called in ids, classes and labels. */
  places: Map<Element, string>;
  /** Links and buttons outside of lists, navigation and footers. */
  loose: Element[];
  lists: List[];
}

export interface Handle {
  label: string;
  find(): Element | null;
}

export interface Controls {
  of(context: IntrospectionContext): ControlMap;
  kindOf(element: Element): ControlKind | null;
  /** Its name, or what its icon shows. */
  labelOf(control: Element): string;
  /** Finds the control again after the page was rendered anew. */
  handle(control: Element, label?: string): Handle;
  /** Presses and says what came of it; null is answered as gone. `twice`: a double click, if one does not open it. */
  press(control: Element | null, said: { label: string; done?: string; twice?: boolean }): Promise<RunResult>;
  isConsent(element: Element): boolean;
}

export interface PageText {
  /** The main content as plain text with headings, lists and tables. */
  read(root: Document | Element, max: number): { text: string; isCut: boolean };
}

/** Plain text as it is written. */
export interface TextLines {
  readonly length: number;
  /** `isKept`: its spaces and line ends are shown as they are. */
  text(text: string, isKept?: boolean): void;
  end(gap?: boolean): void;
  raw(text: string): void;
  item(mark: string, isRepeated?: boolean): () => void;
  toString(): string;
}

export interface TextLinesPart {
  create(): TextLines;
}

export interface TextMath {
  /** A formula as a line of text. */
  read(math: Element): string;
}

export interface TextBlocks {
  /** What a person sees of it as text; `skip` leaves parts out. */
  read(root: Element, max: number, skip: (element: Element) => boolean): { text: string; isCut: boolean };
}

export interface Introspection {
  list(): Tool[];
  /** Rejects with a `code` of -32015 if `digest` is given and is not what the tool of that name has now. */
  run(name: string, args: Record<string, unknown>, digest?: string): Promise<CallToolResult>;
  /** Returns what ends the watch. */
  watch(onChange: (tools: Tool[]) => void): () => void;
}

// Sources of tools that pages register themselves.

/** A tool as its page describes it, within bounds. */
export interface PageTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  title?: string;
  annotations?: Annotations;
  outputSchema?: JsonSchema;
  _meta?: Record<string, unknown>;
  /** Made of a form with `toolname`; not part of what travels. */
  isForm?: boolean;
}

export interface ToolSource {
  readonly kind: 'webmcp' | 'mcp-b' | 'stand-in';
  /** `changed`: the list may be another now. */
  start(changed: () => void): void;
  stop(): void;
  /** Brings `tools` up to date. */
  refresh(): Promise<void>;
  tools(): PageTool[];
  /** How many more there are, at least. */
  omitted?(): number;
  /** A server is there, even if it offers nothing. */
  isLive(): boolean;
  /** Rejects with what the page said, or with the signal's reason. */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal, callId: string | number, progressed?: Progressed): Promise<CallToolResult>;
  /** What a server here says that it can do, in hub.md's words. */
  says?(): string[];
  /** Why a call of this tool may take long. */
  overdue?(name: string): string | undefined;
}

export interface Pace {
  soon(action: () => void): void;
  /** Returns what calls it off. */
  after(ms: number, action: () => void): () => void;
}

export interface Lasting {
  /** Listens, also after the page has written itself anew, which is told; returns what ends it. */
  listen(target: EventTarget, type: string, listener: (event: any) => void, rewritten?: () => void): () => void;
}

export interface ToolShape {
  cleanList(tools: unknown): PageTool[];
  /** Short, and the same for the same text. */
  digest(text: string): string;
  resultOf(result: unknown): CallToolResult;
  resultOfText(text: unknown, hasLeft?: boolean): CallToolResult;
  NAVIGATED: string;
  OutcomeUnknown: new (message: string) => Error;
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

/** How far a call is, in whatever words and numbers a page has for it. */
export type Progressed = (told: { progress?: unknown; total?: unknown; message?: unknown }) => void;

export interface McpClient {
  received(payload: unknown): void;
  refresh(): Promise<void>;
  call(name: string, args: object, signal: AbortSignal, callId: string | number, progressed?: Progressed): Promise<CallToolResult>;
  lost(): void;
  tools(): PageTool[];
  omitted(): number;
  says(): string[];
  isOpen(): boolean;
}

export interface McpClients {
  create(options: { post: (payload: unknown) => void; changed: () => void }): McpClient;
}

export interface Questions {
  start(emit: (question: HubQuestion) => void): void;
  stop(): void;
  /** Something on the channel; whether it was a question, which `reply` gets the answer to. */
  heard(payload: unknown, reply: (answer: object) => void): boolean;
  /** The hub's word on one of them. */
  answered(message: any): void;
  /** The way to the hub broke: whatever is open is answered no. */
  end(): void;
  /** A deadline of a call, which stands still while a question is open. */
  deadline(ms: number, over: () => void): { renew(): void; end(): void };
}

export interface FormSchema {
  describe(form: HTMLFormElement): JsonSchema;
  /** Throws, before anything is filled in, if a value does not fit. */
  fill(form: HTMLFormElement, args: Record<string, unknown>): void;
  problems(form: HTMLFormElement): string;
  submitterOf(form: HTMLFormElement): HTMLElement | undefined;
}

export interface Submission {
  name: string;
  form: HTMLFormElement;
  submitter: HTMLElement | undefined;
  isAutomatic: boolean;
  signal: AbortSignal;
}

export interface FormSource {
  start(changed: () => void): void;
  stop(): void;
  refresh(): PageTool[];
  has(name: string): boolean;
  /** The call ends when the person submits the form. */
  isAwaited(name: string): boolean;
  call(
    name: string, args: Record<string, unknown>, signal: AbortSignal, submit: (submission: Submission) => Promise<string>,
  ): Promise<string>;
}

export interface ToolCall {
  id: string | number;
  toolName: string;
  args: Record<string, unknown>;
  /** Which tool of that name is meant. */
  digest?: string;
}

export interface ToolSources {
  start(emit: (message: HubMessage | HubQuestion | HubProgress) => void): void;
  execute(call: ToolCall, signal: AbortSignal): Promise<{ success: boolean; payload: CallToolResult | string; extensions?: { code: string } }>;
  current(): Tool[];
  /** All that is to be told of the page now. */
  registration(): HubParams;
  /** Resolves when what the page has said of its tools by now is told. */
  upToDate(): Promise<void>;
  /** The extension was reloaded: this world's copy is an orphan and must fall silent. */
  stop?(): void;
}
