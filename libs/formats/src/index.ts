export { decodeText } from './decode-text.js';
export { MAX_DOCUMENT_BYTES } from './limits.js';
export { checkSize, readDocument } from './read-document.js';
