/**
 * Files for the page: `fileField` leads from a ref to the file input a person would use, `filePart` takes what is in
 * the files piece by piece, `giveFiles` puts them into an input, `dropFiles` drops them as a person would, and
 * `frameAt` says into which frame a point of the viewport falls.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {{name: string, type: string}} FileHead */

  const FORGOTTEN_MS = 60_000;
  const BYTES_MOST = 64 * 1024 * 1024;
  /** Pages that cover themselves with a place to drop on do so a moment after the files come in sight. */
  const COVERED_MS = 80;
  const NAMES_MOST = 20;

  /** Files under way. @type {Map<string, {pieces: Uint8Array<ArrayBuffer>[][], size: number}>} */
  const transfers = new Map();

  const refuse = (/** @type {string} */ problem) => agent.refusal(problem, -32602, 'invalid_arguments');
  const isFileInput = (/** @type {Element | null | undefined} */ element) =>
    element instanceof HTMLInputElement && element.type === 'file';

  /**
   * The file input that belongs to an element: itself, what its label is for, or the only one in or right around it.
   * @type {(element: Element) => HTMLInputElement | null}
   */
  const inputOf = (element) => {
    const tree = agent.get('tree');
    if (isFileInput(element)) return /** @type {HTMLInputElement} */ (element);
    const label = /** @type {HTMLLabelElement | null} */ (tree.closest(element, 'label'));
    if (label && isFileInput(label.control)) return /** @type {HTMLInputElement} */ (label.control);
    const inside = tree.queryAll(element, 'input[type=file]');
    return inside.length === 1 ? /** @type {HTMLInputElement} */ (inside[0]) : null;
  };

  const describe = (/** @type {HTMLInputElement} */ input) => ({
    agent: agent.get('refs').agent,
    number: agent.get('refs').numberOf(input),
    multiple: input.multiple,
    accept: input.accept,
    directory: input.webkitdirectory,
    disabled: input.matches(':disabled'),
  });

  const heldBy = (/** @type {HTMLInputElement} */ input) => ({
    count: input.files?.length ?? 0,
    names: [...(input.files ?? [])].slice(0, NAMES_MOST).map((file) => file.webkitRelativePath || file.name),
  });

  const give = (/** @type {HTMLInputElement} */ input, /** @type {DataTransfer} */ data) => {
    input.files = data.files;
    input.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };

  const bytesOf = (/** @type {string} */ base64) => {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    return bytes;
  };

  /** @type {(transfer: string, heads: FileHead[]) => DataTransfer} */
  const carried = (transfer, heads) => {
    const { pieces } = transfers.get(transfer) ?? { pieces: [] };
    transfers.delete(transfer);
    const data = new DataTransfer();
    heads.forEach(({ name, type }, index) => {
      data.items.add(new File(pieces[index] ?? [], name, { type, lastModified: Date.now() }));
    });
    return data;
  };

  /** The innermost element at a point, through shadow roots. @type {(x: number, y: number) => Element | null} */
  const elementAt = (x, y) => {
    const tree = agent.get('tree');
    let found = document.elementFromPoint(x, y);
    for (let shadow = found && tree.shadowOf(found); shadow; shadow = found && tree.shadowOf(found)) {
      const inner = shadow.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  };

  /** @type {(element: Element) => {x: number, y: number}} */
  const middleOf = (element) => {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  };

  /** @type {(type: string, element: Element, point: {x: number, y: number}, data: DataTransfer) => boolean} */
  const fire = (type, element, { x, y }, data) =>
    !element.dispatchEvent(
      new DragEvent(type, {
        bubbles: true,
        composed: true,
        cancelable: type !== 'dragleave',
        dataTransfer: data,
        clientX: x,
        clientY: y,
        screenX: screenX + x,
        screenY: screenY + y,
      }),
    );

  agent.serve('fileField', ({ target }) => {
    const input = inputOf(agent.get('refs').resolve(target));
    return input && describe(input);
  });

  agent.serve('filesHeld', ({ target }) => {
    const input = inputOf(agent.get('refs').resolve(target));
    return input && heldBy(input);
  });

  agent.serve('filePart', ({ transfer, file, data }) => {
    const bytes = bytesOf(data);
    const known = transfers.get(transfer) ?? { pieces: [], size: 0 };
    known.size += bytes.length;
    if (known.size > BYTES_MOST) throw refuse('These files are too large to be handed to the page.');
    (known.pieces[file] ??= []).push(bytes);
    transfers.set(transfer, known);
    setTimeout(() => transfers.delete(transfer), FORGOTTEN_MS);
  });

  agent.serve('giveFiles', ({ transfer, target, files }) => {
    const input = inputOf(agent.get('refs').resolve(target));
    if (!input) throw refuse('It is no file input.');
    give(input, carried(transfer, files));
    return heldBy(input);
  });

  agent.serve('frameAt', ({ x, y }) => {
    const found = elementAt(x, y);
    if (!(found instanceof HTMLIFrameElement || found instanceof HTMLFrameElement) || !found.contentWindow) return null;
    const { left, top } = found.getBoundingClientRect();
    for (let place = 0; place < window.length; place += 1) {
      if (window[place] === found.contentWindow) {
        return { place, x: x - left - found.clientLeft, y: y - top - found.clientTop };
      }
    }
    return null;
  });

  agent.serve('dropFiles', async ({ transfer, files, target, x, y }) => {
    const named = target ? agent.get('refs').resolve(target) : null;
    const point = named ? middleOf(named) : { x, y };
    const found = named ?? elementAt(x, y);
    if (!found) throw refuse('There is nothing at that point of the page.');
    let over = found;
    const data = carried(transfer, files);
    const told = () => ({ role: agent.get('roles').roleOf(over), name: agent.get('roles').nameOf(over) });
    if (isFileInput(over) && over.matches(':enabled')) {
      // The browser itself takes what a person drops here.
      give(/** @type {HTMLInputElement} */ (over), data);
      return told();
    }
    fire('dragenter', over, point, data);
    fire('dragover', over, point, data);
    await agent.get('rest').pause(COVERED_MS);
    const now = elementAt(point.x, point.y);
    // What was named stays meant, unless something has come to lie over it.
    if (now && now !== over && !agent.get('tree').contains(over, now)) {
      fire('dragenter', now, point, data);
      over = now;
    }
    // A page that takes what is dropped says so by stopping the browser's own doing, which would be to open the file.
    if (!fire('dragover', over, point, data)) {
      fire('dragleave', over, point, data);
      throw refuse('It takes no files that are dropped on it.');
    }
    fire('drop', over, point, data);
    return told();
  });
})();
