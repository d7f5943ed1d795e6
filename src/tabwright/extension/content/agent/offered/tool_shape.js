/**
 * What pages say about their tools and answer from them, brought into one shape and within bounds. Python cuts names
 * and descriptions for readers; here a page is only kept from making every hop copy megabytes.
 *
 * Pure: no document, no window.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').CallToolResult} CallToolResult */
  /** @typedef {import('./offered').PageTool} PageTool */

  const MOST_TOOLS = 64;
  const LIST_SIZE = 1024 * 1024;
  const TOOL_SIZE = 256 * 1024;
  const RESULT_SIZE = 4 * 1024 * 1024;
  const DESCRIPTION_LENGTH = 16 * 1024;
  const NAME_LENGTH = 256;
  const DEPTH = 64;
  /** What `source_frames` says of a tool; a page that says it itself would pass for another. */
  const FRAME_KEY = 'tabwright/frame';

  /**
   * About how many characters the JSON of a value has; Infinity as soon as it is over the limit, too deep, or no JSON.
   * @param {unknown} value
   * @param {number} limit
   * @param {number} [depth]
   * @returns {number}
   */
  const sizeOf = (value, limit, depth = 0) => {
    if (typeof value === 'string') return value.length > limit ? Infinity : value.length + 2;
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return 5;
    // JSON leaves it out.
    if (value === undefined) return 0;
    if (typeof value !== 'object' || depth > DEPTH) return Infinity;
    let size = 2;
    for (const [key, member] of Object.entries(value)) {
      size += key.length + 4 + sizeOf(member, limit - size, depth + 1);
      if (size > limit) return Infinity;
    }
    return size;
  };

  /** @param {unknown} value @returns {value is Record<string, any>} */
  const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

  /** @param {unknown} schema */
  const objectSchema = (schema) => {
    if (!isRecord(schema)) return { type: 'object', properties: {} };
    return schema.type === undefined ? { ...schema, type: 'object' } : schema;
  };

  /**
   * One tool as pages describe it, or undefined if nobody could call it. Whose it is, no page says: neither an `origin`
   * nor the mark of a frame is taken over.
   * @param {unknown} tool
   * @returns {PageTool | undefined}
   */
  const clean = (tool) => {
    if (!isRecord(tool) || typeof tool.name !== 'string') return undefined;
    if (tool.name === '' || tool.name.length > NAME_LENGTH) return undefined;
    const description = typeof tool.description === 'string' ? tool.description.slice(0, DESCRIPTION_LENGTH) : '';
    /** @type {PageTool} */
    const cleaned = { name: tool.name, description, inputSchema: objectSchema(tool.inputSchema) };
    if (typeof tool.title === 'string' && tool.title !== '') cleaned.title = tool.title.slice(0, NAME_LENGTH);
    for (const field of /** @type {const} */ (['annotations', 'outputSchema', '_meta'])) {
      if (isRecord(tool[field])) cleaned[field] = tool[field];
    }
    if (cleaned._meta && FRAME_KEY in cleaned._meta) {
      const { [FRAME_KEY]: _, ...rest } = cleaned._meta;
      cleaned._meta = rest;
    }
    return sizeOf(cleaned, TOOL_SIZE) === Infinity ? undefined : cleaned;
  };

  /**
   * The tools of a list that fit, each name once.
   * @param {unknown} tools
   * @returns {PageTool[]}
   */
  const cleanList = (tools) => {
    /** @type {Map<string, PageTool>} */
    const kept = new Map();
    let size = 0;
    for (const tool of Array.isArray(tools) ? tools : []) {
      const cleaned = clean(tool);
      if (!cleaned || kept.has(cleaned.name)) continue;
      size += sizeOf(cleaned, TOOL_SIZE);
      if (size > LIST_SIZE || kept.size === MOST_TOOLS) break;
      kept.set(cleaned.name, cleaned);
    }
    return [...kept.values()];
  };

  /** How a call ends of which nobody knows what it has done: whoever asked must not simply ask again. */
  class OutcomeUnknown extends Error {}

  const NAVIGATED = 'The page navigated before the tool finished.';

  /** @param {string} text @returns {CallToolResult} */
  const failure = (text) => ({ content: [{ type: 'text', text }], isError: true });

  /** @param {unknown} value */
  const isContent = (value) => Array.isArray(value) && value.every((item) => isRecord(item) && typeof item.type === 'string');

  /** MCP's own result shape, as far as it says anything. @param {unknown} value */
  const isResult = (value) => isRecord(value) && isContent(value.content)
    && (value.content.length > 0 || value.isError === true || isRecord(value.structuredContent));

  /**
   * An answer to `tools/call`.
   * @param {unknown} result
   * @returns {CallToolResult}
   * @throws {OutcomeUnknown} the page went away
   */
  const resultOf = (result) => {
    if (!isRecord(result)) return failure('The page answered with no result.');
    if (sizeOf(result, RESULT_SIZE) === Infinity) return failure('The page answered more than 4 MiB, or no JSON.');
    // @mcp-b transports 1.4 to 4.0 answer so when the page goes away, without calling it an error.
    if (result.metadata?.navigationInterrupted === true) throw new OutcomeUnknown(NAVIGATED);
    /** @type {CallToolResult} */
    const cleaned = { content: isContent(result.content) ? result.content : [] };
    if (isRecord(result.structuredContent)) cleaned.structuredContent = result.structuredContent;
    if (isRecord(result._meta)) cleaned._meta = result._meta;
    if (result.isError === true) cleaned.isError = true;
    if (cleaned.content.length === 0 && cleaned.structuredContent) {
      cleaned.content = [{ type: 'text', text: JSON.stringify(cleaned.structuredContent) }];
    }
    return cleaned;
  };

  /**
   * The text that `executeTool` gives. Objects arrive as their JSON; many pages return MCP's own result shape, which
   * the browser does not interpret.
   * @param {unknown} text nothing, where the page went away or its answer could not be read
   * @param {boolean} [hasLeft]
   * @returns {CallToolResult}
   * @throws {OutcomeUnknown} the page went away
   */
  const resultOfText = (text, hasLeft = false) => {
    if (typeof text !== 'string') {
      if (hasLeft) throw new OutcomeUnknown(NAVIGATED);
      return failure('The tool has run, but its answer could not be read.');
    }
    if (text.length > RESULT_SIZE) return failure('The page answered more than 4 MiB.');
    /** @type {CallToolResult} */
    const result = { content: [{ type: 'text', text }] };
    if (!/^\s*[[{]/.test(text)) return result;
    try {
      const value = JSON.parse(text);
      if (isResult(value)) return resultOf(value);
      // What is nested without end does not reach whoever called, not even as text beside it.
      if (sizeOf(value, RESULT_SIZE) < Infinity) result.structuredContent = isRecord(value) ? value : { result: value };
    } catch {
      // Text that only looks like JSON.
    }
    return result;
  };

  /** Short and the same for the same text: two sums of 32 bits, so that no two definitions meet by chance. */
  const digest = (/** @type {string} */ text) => {
    let one = 0x811c9dc5;
    let other = 0x9747b28c;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      one = Math.imul(one ^ unit, 0x01000193);
      other = Math.imul(other + unit, 0x85ebca6b) ^ (other >>> 15);
    }
    return [one, other].map((sum) => (sum >>> 0).toString(16).padStart(8, '0')).join('');
  };

  agent.part('tool_shape', () => ({ NAVIGATED, OutcomeUnknown, cleanList, digest, resultOf, resultOfText }));
})();
