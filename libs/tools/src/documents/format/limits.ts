/** Limits that keep one document from taking the whole process: they are far above what people write. */

/** Bytes of any document: a larger one is refused unread. */
export const MAX_DOCUMENT_BYTES = 50 * 1024 * 1024;
/** Bytes of Markdown, HTML or plain text, some 3,000 printed pages: parsing takes fifty times the memory. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** Characters of one line of Markdown or text. Parsers take quadratic time over some long lines, and nobody writes them. */
export const MAX_LINE_CHARACTERS = 100_000;
/** Characters of text in one document, after extraction. */
export const MAX_TEXT_CHARACTERS = 12_000_000;
/** Pages of a PDF. */
export const MAX_PAGES = 5_000;
/** Depth of lists in lists, quotes in quotes, or elements in elements. */
export const MAX_DEPTH = 100;
/** Bytes of XML in a DOCX once inflated: a book of 1,000 pages has about 10 MB, and parsing takes up to a hundred times that. */
export const MAX_INFLATED_BYTES = 32 * 1024 * 1024;
/** Entries in the archive of a DOCX. */
export const MAX_ARCHIVE_ENTRIES = 10_000;
