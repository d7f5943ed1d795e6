/** What tools written for Chromium 146 to 152 find in the second argument of `execute`, whoever calls them. */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  const { TypeError, apply, defineProperty } = page.natives;

  /** A tool let the person have a say so; what that is, its callback does. @param {any} callback */
  const requestUserInteraction = async (callback) => {
    if (typeof callback !== 'function') {
      throw new TypeError("Failed to execute 'requestUserInteraction' on 'ModelContextClient': parameter 1 is not of type 'Function'.");
    }
    return await apply(callback, undefined, []);
  };

  page.older = {
    withInteraction(given) {
      defineProperty(given, 'requestUserInteraction', /** @type {any} */ ({
        __proto__: null, value: requestUserInteraction, writable: true, enumerable: false, configurable: true,
      }));
      return given;
    },
  };
})();
