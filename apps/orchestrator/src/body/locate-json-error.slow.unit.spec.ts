import { expect, it } from 'vitest';
import { locateJsonError } from './locate-json-error.js';

it('ends for a text whose quotation mark is missing, however long it is', () => {
  const text = `{"name": "${'u'.repeat(200_000)}`;
  expect(locateJsonError(text)).toMatchObject({ line: 1, found: '"' });
});
