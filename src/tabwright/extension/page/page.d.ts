/** What the scripts of the page's own world share while they are loaded; see `natives.js`. */

export interface Page {
  natives: Natives;
  older: Older;
  /** The stand-in for WebMCP, from here on: only where the browser has none. */
  interfaces: Interfaces;
  bridge: Bridge;
  tools: Tools;
  calls: Calls;
  /** Messages have a listener in the page, which may send them itself. */
  hears?: () => void;
}

/** Methods and accessors of prototypes are called by `apply`. */
export interface Natives {
  AbortController: typeof AbortController;
  DOMException: typeof DOMException;
  Event: typeof Event;
  MessageEvent: typeof MessageEvent;
  Promise: typeof Promise;
  Proxy: typeof Proxy;
  String: typeof String;
  TypeError: typeof TypeError;
  WeakMap: typeof WeakMap;
  apply(target: any, self: any, args: any[]): any;
  defineProperty: typeof Reflect.defineProperty;
  getOwnPropertyDescriptor: typeof Object.getOwnPropertyDescriptor;
  getOwnPropertyDescriptors: typeof Object.getOwnPropertyDescriptors;
  keys: typeof Object.keys;
  parse: typeof JSON.parse;
  stringify: typeof JSON.stringify;
  /** A method of a prototype, as it is now. */
  method(owner: object, name: string): any;
  accessor(owner: object, name: string, kind?: 'get' | 'set'): any;
  append(list: any[], value: any): boolean;
  /** Looks built in to whoever prints it. */
  builtIn<F extends Function>(made: F): F;
  /** Puts members on a prototype as a browser would. */
  define(target: object, members: object, enumerable?: boolean): void;
  /** Listens for as long as there is the document, however often that is written anew. */
  keep(target: EventTarget, type: string, listener: (event: any) => void, capture?: boolean): void;
  listen: any;
  unlisten: any;
  dispatch: any;
  prevent: any;
  data: any;
  remember: any;
  recall: any;
  then: any;
  sort: any;
  matches: any;
}

/** What WebMCP had in Chromium 146 to 152. */
export interface Older {
  /** What a tool is given besides its input, with the way to the person that it had. */
  withInteraction(given: any): any;
}

export interface Interfaces {
  ModelContext: any;
  /** The one of this document. */
  context: any;
  ToolActivatedEvent: any;
  ToolCancelEvent: any;
}

/** What the isolated world says, by the type of message. */
export type Orders = Record<string, (message: any) => void>;

export interface Bridge {
  orders: Orders;
  /** Name of the event by which the isolated world sends a form. */
  secret: string;
  tell(message: object): void;
  /** Lets the isolated world ask for the port; after everything else. */
  open(): void;
}

export interface Tools {
  refusal(name: string, message: string): DOMException;
  mistake(operation: string, message: string): TypeError;
  checkOrigins(origins: any, list: string): void;
  register(tool: any, options: any): void;
  remove(name: string): void;
  clear(): void;
  /** Of all, those of forms too, in order. */
  names(): string[];
  find(name: string): any;
  registered(name: string): any;
  isForm(name: string): boolean;
}

export interface Calls {
  /** How to end calls that the isolated world waits for, by number. */
  endings: any;
  /** What the page gave for a call, with its own error if it threw. */
  run(tool: any, input: any, signal: AbortSignal): Promise<string>;
  /** A form's tool, called by the page itself. */
  runForm(name: string, input: any, signal: any): Promise<string>;
  answer(work: () => Promise<any>, done: (outcome: object) => void): Promise<void>;
}
