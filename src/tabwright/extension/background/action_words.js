/** What became of a gesture, in words: of one frame, of all of a page together, and of one that led elsewhere. */

/**
 * `rested`: the page saw no reason to wait any longer; `heard`: the number of what it was told last of requests, where it
 * may be asked once more; `streams`: requests among them that never end; `early`: it would wait longer if others could
 * change it; `held`: what the field holds that the gesture filled in; `missed`: why the element has no click that it was for;
 * `news`: what came and can be used at once, and in which document.
 */
/** @typedef {{lines: string[], errors: string[], changed: boolean, navigated: boolean, rested?: boolean, early?: boolean, heard?: number, streams?: number, held?: object, missed?: string, title?: string, url?: string, news?: object[]}} Told */

const MOST_LINES = 5;
/** What a browser opens itself; anything else is another program's. */
const OWN = /^(?:https?|about|blob|data|file|filesystem|ftp|javascript|chrome|chrome-extension|view-source):/i;
const BROKEN = 400;
/** What the page complains of. */
const COMPLAINTS = /^Errors: /;
/** What a page says that has changed where nobody sees it: not worth a line beside what was seen in a frame. */
const UNSEEN = new Set(['The page changed, with no new text.']);

/** Where a page that is still there says that it is. @param {Told | undefined} told */
export function placeOf(told) {
  return typeof told?.url === 'string' && typeof told.title === 'string' ? { title: told.title, url: told.url } : undefined;
}

/** @param {string} url where it should have led @returns {Told} */
export function nowhere(url) {
  const line = OWN.test(url)
    ? 'That led to no other page.'
    : `${url.slice(0, 200)} is for another program to open, not for the browser; the page stays as it is.`;
  return { lines: [line], errors: [], changed: false, navigated: false };
}

/**
 * The page's own lines first; a frame's only where something changed in it.
 * @param {Told[]} told
 * @returns {Told}
 */
export function combine(told) {
  const [page, ...frames] = told;
  const heard = [...(page ? [page] : []), ...frames.filter(({ changed }) => changed)];
  const changed = heard.some((each) => each.changed);
  const filled = told.find(({ held }) => held !== undefined);
  const astray = told.find(({ missed }) => missed !== undefined);
  // "Nothing changed" is true of the page only if it is true of its frames.
  const telling = page?.navigated ? [page] : heard.filter((each) => each.changed || !changed);
  const lines = [...new Set(telling.flatMap(({ lines }) => lines))];
  const news = telling.flatMap((each) => each.news ?? []);
  const telltale = lines.filter((line) => !UNSEEN.has(line));
  return {
    lines: (telltale.length > 0 || news.length > 0 ? telltale : lines).slice(0, MOST_LINES),
    errors: telling.flatMap(({ errors }) => errors),
    ...(news.length > 0 ? { news } : {}),
    changed,
    navigated: page?.navigated ?? false,
    ...(filled ? { held: filled.held } : {}),
    ...(astray && !page?.navigated ? { missed: astray.missed } : {}),
  };
}

/**
 * @param {string} text what is told of the page that came instead
 * @param {boolean | undefined} isError
 * @param {number | undefined} status what its server answered
 * @returns {Told}
 */
export function elsewhere(text, isError, status) {
  const [where, ...lines] = text.replace(/^Done[;,] (?:but )?/, '').split('\n');
  const isBroken = status !== undefined && status >= BROKEN;
  const said = [where[0].toUpperCase() + where.slice(1), ...(isBroken ? [`The server answered HTTP ${status}.`] : []), ...lines];
  return { lines: said, errors: isError && !said.some((line) => COMPLAINTS.test(line)) ? ['The page complains or did not load.'] : [], changed: true, navigated: true };
}
