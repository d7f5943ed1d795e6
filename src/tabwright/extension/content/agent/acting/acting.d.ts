/** Pointing, and waiting for what an action causes. */

import type { Found, Outlined, Point, Settled, Target } from '../agent';

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

/** Something that came, and the words in it where they are told. */
export interface News {
  node: Node;
  text: string;
  /** The days of a calendar. */
  isMonth?: boolean;
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

export interface Pace {
  soon(action: () => void): void;
  /** Returns what calls it off. */
  after(ms: number, action: () => void): () => void;
}

export interface Lasting {
  /** Listens, also after the page has written itself anew, which is told; returns what ends it. */
  listen(target: EventTarget, type: string, listener: (event: any) => void, rewritten?: () => void): () => void;
}
