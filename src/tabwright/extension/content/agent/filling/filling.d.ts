/** Filling in fields. */

import type { Day, Field, Found } from '../agent';

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
