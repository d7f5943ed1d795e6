/** Width and height from the head of an encoded image, without decoding it. */

const JPEG_HEADER_CHARS = 8_192;

/**
 * @param {string} base64
 * @param {'jpeg' | 'png'} format
 * @returns {{width: number, height: number}}
 */
export function imageSize(base64, format) {
  const head = atob(base64.slice(0, JPEG_HEADER_CHARS));
  return format === 'png' ? pngSize(head) : jpegSize(head);
}

/** @param {string} bytes @param {number} at */
const word = (bytes, at) => bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1);

/** @param {string} bytes */
const pngSize = (bytes) => ({
  width: word(bytes, 16) * 65_536 + word(bytes, 18),
  height: word(bytes, 20) * 65_536 + word(bytes, 22),
});

/** @param {string} bytes */
function jpegSize(bytes) {
  let at = 2;
  while (at + 9 < bytes.length) {
    const marker = bytes.charCodeAt(at + 1);
    // SOF0..SOF15 carry the size; C4, C8 and CC in their midst are tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: word(bytes, at + 7), height: word(bytes, at + 5) };
    }
    at += 2 + word(bytes, at + 2);
  }
  return { width: 0, height: 0 };
}
