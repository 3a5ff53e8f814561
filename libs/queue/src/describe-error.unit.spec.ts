import { expect, it } from 'vitest';
import { describeError } from './describe-error.js';

it('error texts are never empty, never too long, and never contain half a surrogate pair', () => {
  expect(describeError(new Error(''))).toBe('Error');
  expect(describeError(undefined)).toBe('undefined');
  expect(describeError('')).toBe('unknown error');
  const cut = describeError(new Error(`${'x'.repeat(1_999)}👋`));
  expect(cut).toBe(`${'x'.repeat(1_999)}\ufffd`);
});
