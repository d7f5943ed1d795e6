/** The outline of a page: what can be used, and the nodes that are told of it. */

import type { Tree } from '../agent';

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
