/**
 * From a frame to its answer. The only place that catches, so every request gets exactly one answer and nothing a
 * gateway sends can end the link.
 */
import { rejectOnAbort } from '../common/aborted.js';
import { CommandError, messageOf, methodNotFound, timedOut } from '../common/errors.js';
import { connectionOf, failure, readFrame, success } from '../common/jsonrpc.js';
import { Params } from '../common/params.js';

/** @typedef {import('../common/protocol').Id} Id */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */
/** @typedef {import('../common/protocol').Request} Request */
/** @typedef {import('../common/protocol').TypedMessage} TypedMessage */

/** `connection` tells clients apart; `signal` aborts when the command is cancelled or out of time. */
/** @typedef {{connection: string, signal: AbortSignal, before?: unknown}} Context */
/**
 * `before` may take a person's time, which is bounded by itself; `run` is given what it answered.
 * @typedef {object} Command
 * @property {(params: Params, context: Context) => Promise<unknown>} run
 * @property {number} withinMs
 * @property {(params: Params, context: Context) => Promise<unknown>} [before]
 */
/** @typedef {(message: TypedMessage) => Promise<void>} TypedHandler */

const WORKER_STOPPING = 'No SW';

export class Dispatcher {
  /** @type {Map<Id, AbortController>} */
  #running = new Map();
  #commands;
  #typed;
  #send;
  #link;
  #log;

  /**
   * @param {ReadonlyMap<string, Command>} commands
   * @param {ReadonlyMap<string, TypedHandler>} typed
   * @param {(message: Outgoing) => void} send
   * @param {(...details: unknown[]) => void} [log] for our own bugs
   * @param {string} [link] put before the names of connections, so that those of several links stay apart
   */
  constructor(commands, typed, send, log = console.error, link = '') {
    this.#commands = commands;
    this.#typed = typed;
    this.#send = send;
    this.#link = link;
    this.#log = log;
  }

  /** @param {unknown} text */
  async receive(text) {
    const frame = readFrame(text);
    switch (frame.kind) {
      case 'request':
        return this.#answer(frame.request);
      case 'typed':
        return this.#handle(frame.message);
      case 'malformed':
        return this.#send(failure(frame.id, frame.error));
      case 'answer':
        // We ask nothing, so an answer is somebody's mistake; answering it would start a loop.
        return undefined;
    }
  }

  /** @param {Request} request */
  async #answer({ id, method, params }) {
    try {
      const result = await this.#run(id, method, params);
      if (id !== undefined) this.#send(success(id, result));
    } catch (thrown) {
      // Chrome is stopping this worker: what became of the command is not ours to say any more.
      if (messageOf(thrown) === WORKER_STOPPING) return;
      const error = this.#asCommandError(thrown, method);
      if (id !== undefined) this.#send(failure(id, error));
    }
  }

  /**
   * @param {Id | undefined} id
   * @param {string} method
   * @param {unknown} params
   */
  async #run(id, method, params) {
    if (method === 'cancel') return this.#cancel(connectionOf(id), new Params(params));
    const command = this.#commands.get(method);
    if (!command) throw methodNotFound(method);
    const controller = new AbortController();
    if (id !== undefined) this.#running.set(id, controller);
    const context = { connection: `${this.#link}${connectionOf(id)}`, signal: controller.signal };
    const read = new Params(params);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    try {
      const aborted = rejectOnAbort(controller.signal);
      const before = command.before && (await Promise.race([command.before(read, context), aborted]));
      timer = setTimeout(() => controller.abort(timedOut(method, command.withinMs)), command.withinMs);
      return await Promise.race([command.run(read, { ...context, before }), aborted]);
    } finally {
      clearTimeout(timer);
      if (this.#running.get(id ?? null) === controller) this.#running.delete(id ?? null);
    }
  }

  /**
   * A proxied client names its own id, which travels prefixed; it can reach its own commands only.
   * @param {string} connection
   * @param {Params} params
   */
  #cancel(connection, params) {
    const id = params.identifier('id');
    const isWireId = connection === 'direct' || connectionOf(id) === connection;
    const wireId = isWireId ? id : `${connection}:${JSON.stringify(id)}`;
    const running = connectionOf(wireId) === connection ? this.#running.get(wireId) : undefined;
    running?.abort(new CommandError('Cancelled.'));
    return { cancelled: running !== undefined };
  }

  /** @param {TypedMessage} message */
  async #handle(message) {
    try {
      const handler = this.#typed.get(message.type);
      if (!handler) throw new CommandError(`Unknown message type "${message.type}".`);
      await handler(message);
    } catch (thrown) {
      this.#send({ type: 'error', message: this.#asCommandError(thrown, message.type).message });
    }
  }

  /**
   * Chrome's API refuses with a plain Error whose text is worth passing on; the error types of the language itself
   * mean a bug of ours, which is logged here and told without details.
   * @param {unknown} thrown
   * @param {string} what
   * @returns {CommandError}
   */
  #asCommandError(thrown, what) {
    if (thrown instanceof CommandError) return thrown;
    if (thrown instanceof TypeError || thrown instanceof ReferenceError || thrown instanceof RangeError) {
      this.#log(`tabwright: ${what} failed`, thrown);
      return new CommandError('Internal error of the extension.', -32603);
    }
    return new CommandError(messageOf(thrown));
  }
}
