/**
 * A page server in a child frame may be reached twice: by the child's own page agent, and from the parent frame, whose
 * page agent marks such tools in `_meta`. Who sits in the frame knows better who offers the tool, so there it is listed.
 */

/** @typedef {import('../common/protocol').PageTool} PageTool */
/** @typedef {{origin: string, heard: PageTool[]}} Listing */

const MARK = 'tabwright/frame';

/**
 * The tools of a frame without those that another frame of the tab lists itself.
 * @param {Listing} frame
 * @param {Listing[]} others
 * @returns {PageTool[]}
 */
export function withoutEchoes(frame, others) {
  return frame.heard.filter((tool) => {
    const echo = /** @type {any} */ (tool)?._meta?.[MARK];
    if (!echo) return true;
    return !others.some(({ origin, heard }) => origin === echo.origin && heard.some((own) => isOwn(own, echo.name)));
  });
}

/** @param {any} tool @param {unknown} name */
const isOwn = (tool, name) => tool?.name === name && !tool._meta?.[MARK];
