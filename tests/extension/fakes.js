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
