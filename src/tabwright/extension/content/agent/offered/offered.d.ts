/** Tools that pages register. */

import type {
  Annotations,
  CallToolResult,
  HubMessage,
  HubParams,
  HubProgress,
  HubQuestion,
  JsonSchema,
  Tool,
} from '../agent';

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

export interface ToolShape {
  cleanList(tools: unknown): PageTool[];
  /** Short, and the same for the same text. */
  digest(text: string): string;
  resultOf(result: unknown): CallToolResult;
  resultOfText(text: unknown, hasLeft?: boolean): CallToolResult;
  NAVIGATED: string;
  OutcomeUnknown: new (message: string) => Error;
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
