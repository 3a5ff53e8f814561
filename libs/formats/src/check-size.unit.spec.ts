import { expect, it } from 'vitest';
import { MAX_DOCUMENT_BYTES } from './limits.js';
import { checkSize } from './read-document.js';

it('rejects a document that is one byte too large, with its size and the limit', () => {
  expect(() => checkSize('a.pdf', MAX_DOCUMENT_BYTES)).not.toThrow();
  expect(() => checkSize('a.pdf', MAX_DOCUMENT_BYTES + 1)).toThrow(
    /52,428,801 bytes; the maximum is 52,428,800 bytes \(50 MiB\)/,
  );
});
