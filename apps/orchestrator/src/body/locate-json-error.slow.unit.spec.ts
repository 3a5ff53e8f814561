import { expect, it } from 'vitest';
import { locateJsonError } from './locate-json-error.js';

it('terminates for a long text with an unclosed quotation mark', () => {
  const text = `{"name": "${'u'.repeat(200_000)}`;
  expect(locateJsonError(text)).toMatchObject({ line: 1, found: '"' });
});
