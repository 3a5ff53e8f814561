export { makeCraneHandbook } from './fixtures/handbook.fixture.js';
export { makeLastenheft } from './fixtures/lastenheft.fixture.js';
export { makePdf } from './fixtures/pdf.fixture.js';
export { Vocabulary, decideSeam } from './pdf-hyphens.js';
export { buildLines, removeRunningHeads, type PdfItem, type PdfLine } from './pdf-lines.js';
export { readMarkdown } from './read-markdown.js';
export { splitMarkdown } from './split-markdown.js';
