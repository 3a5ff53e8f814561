/* Limits that keep one document from exhausting the process. They are far above the size of real documents. */

/** Maximum bytes of a document; a larger one is rejected without reading it. */
export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;
/** Maximum bytes of Markdown, HTML or plain text, about 3,000 printed pages. Parsing takes fifty times the memory. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** Maximum characters of a line of Markdown or text. Parsers take quadratic time on some long lines. */
export const MAX_LINE_CHARACTERS = 100_000;
/** Maximum characters of a document's text after extraction. */
export const MAX_TEXT_CHARACTERS = 12_000_000;
/** Maximum pages of a PDF. */
export const MAX_PAGES = 5_000;
/** Maximum nesting depth of lists, quotes or elements. */
export const MAX_NESTING_DEPTH = 100;
/** Maximum bytes of uncompressed XML in a DOCX. A book of 1,000 pages has about 10 MB, and parsing takes up to a hundred times that. */
export const MAX_INFLATED_BYTES = 32 * 1024 * 1024;
/** Maximum entries in the archive of a DOCX. */
export const MAX_ARCHIVE_ENTRIES = 10_000;
