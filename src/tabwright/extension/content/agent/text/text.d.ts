/** A page as plain text. */

export interface PageText {
  /** The main content as plain text with headings, lists and tables. */
  read(root: Document | Element, max: number): { text: string; isCut: boolean };
}

/** Plain text as it is written. */
export interface TextLines {
  readonly length: number;
  /** `isKept`: its spaces and line ends are shown as they are. */
  text(text: string, isKept?: boolean): void;
  end(gap?: boolean): void;
  raw(text: string): void;
  item(mark: string, isRepeated?: boolean): () => void;
  toString(): string;
}

export interface TextLinesPart {
  create(): TextLines;
}

export interface TextMath {
  /** A formula as a line of text. */
  read(math: Element): string;
}

export interface TextBlocks {
  /** What a person sees of it as text; `skip` leaves parts out. */
  read(root: Element, max: number, skip: (element: Element) => boolean): { text: string; isCut: boolean };
}
