/** Tools found by looking at the page. */

import type { Annotations, CallToolResult, Field, JsonSchema, Tool } from '../agent';

export interface FieldDescription {
  property: string;
  schema: JsonSchema;
  required: boolean;
  label: string;
}

export interface FieldSchema {
  /** Null for a field with nothing to choose; `search` marks a lone search field. */
  describe(field: Field, search?: boolean): FieldDescription | null;
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

export interface Introspection {
  list(): Tool[];
  /** Rejects with a `code` of -32015 if `digest` is given and is not what the tool of that name has now. */
  run(name: string, args: Record<string, unknown>, digest?: string): Promise<CallToolResult>;
  /** Returns what ends the watch. */
  watch(onChange: (tools: Tool[]) => void): () => void;
}

export interface FormSchema {
  describe(form: HTMLFormElement): JsonSchema;
  /** Throws, before anything is filled in, if a value does not fit. */
  fill(form: HTMLFormElement, args: Record<string, unknown>): void;
  problems(form: HTMLFormElement): string;
  submitterOf(form: HTMLFormElement): HTMLElement | undefined;
}
