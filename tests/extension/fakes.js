/** Stand-ins for what the extension's parts are given: storage areas and WebSockets. */

export class FakeArea {
  constructor(values = {}) {
    this.values = values;
    this.writes = 0;
  }

  async get(keys) {
    return Object.fromEntries([keys].flat().flatMap((key) => (key in this.values ? [[key, this.values[key]]] : [])));
  }

  async set(values) {
    this.writes += 1;
    Object.assign(this.values, structuredClone(values));
  }
}

/** A socket whose other end the test plays. Each new one is kept in `opened`. */
export function fakeSockets() {
  const opened = [];
  class FakeSocket {
    constructor(url) {
      this.url = url;
      this.readyState = 0;
      this.sent = [];
      opened.push(this);
    }

    send(text) {
      this.sent.push(JSON.parse(text));
    }

    close(code, reason) {
      this.readyState = 3;
      this.closed = { code, reason };
    }

    open() {
      this.readyState = 1;
      this.onopen();
    }

    receive(message) {
      this.onmessage({ data: typeof message === 'string' ? message : JSON.stringify(message) });
    }

    drop(code = 1006, reason = '') {
      this.readyState = 3;
      this.onclose({ code, reason });
    }
  }
  return { opened, FakeSocket };
}

/** Lets everything that is due now happen, the digests of WebCrypto included. */
export async function settle() {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits for a condition that becomes true by itself, bounded. */
export async function until(condition) {
  for (let turn = 0; turn < 2_000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never: ${condition}`);
}

/** One end of a runtime port; the test plays the frame that holds the other. */
export class FakePort {
  constructor({ tabId = 1, frameId = 0, documentId = 'D1', origin = 'https://a.test', url = 'https://a.test/' } = {}) {
    this.sender = { tab: tabId === undefined ? undefined : { id: tabId }, frameId, documentId, origin, url };
    this.sent = [];
    this.onMessage = new FakeEvent();
    this.onDisconnect = new FakeEvent();
    this.open = true;
  }

  postMessage(message) {
    if (!this.open) throw new Error('Attempting to use a disconnected port object');
    this.sent.push(structuredClone(message));
  }

  disconnect() {
    this.open = false;
  }

  says(message) {
    this.onMessage.emit(message);
  }

  /** The other end goes. */
  breaks() {
    this.open = false;
    this.onDisconnect.emit(this);
  }

  /** Answers the latest request. */
  answers(result) {
    this.says({ id: this.sent.at(-1).id, result });
  }
}

export class FakeEvent {
  listeners = [];

  addListener(listener) {
    this.listeners.push(listener);
  }

  emit(...details) {
    for (const listener of this.listeners) listener(...details);
  }
}

/** A port that answers each request by itself with what `answer` makes of it. */
export function answering(port, answer) {
  port.postMessage = (message) => {
    port.sent.push(message);
    if (message.id === undefined) return;
    void Promise.resolve(answer(message)).then((result) => { if (port.open) port.says({ id: message.id, result }); });
  };
  return port;
}
