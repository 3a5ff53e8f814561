export { decodeText } from './decode-text.js';
export { MAX_DOCUMENT_BYTES } from './limits.js';
export { splitMarkdown } from './split-markdown.js';
export { Vocabulary, decideSeam } from './pdf-hyphens.js';
export { buildLines, removeRunningHeads } from './pdf-lines.js';
export type { PdfItem, PdfLine } from './pdf-lines.js';
export { checkSize, readDocument } from './read-document.js';
export { readMarkdown } from './read-markdown.js';
