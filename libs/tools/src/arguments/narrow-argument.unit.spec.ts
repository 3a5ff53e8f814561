import { expect, it } from 'vitest';
import { narrowArgument } from './narrow-argument.js';

it.each([
  ['the default', undefined, undefined, 'lower', 5],
  ['an argument without a limit', 9, undefined, 'lower', 9],
  ['the limit without an argument', undefined, 3, 'lower', 3],
  ['a lower argument', 2, 3, 'lower', 2],
  ['the limit against a higher argument', 9, 3, 'lower', 3],
  ['a higher argument', 0.9, 0.5, 'higher', 0.9],
  ['the limit against a lower argument', 0.1, 0.5, 'higher', 0.5],
] as const)('uses %s', (_what, asked, limit, stricter, value) => {
  const narrowed = narrowArgument({ name: 'n', asked, limit, fallback: 5, stricter });
  expect(narrowed.value).toBe(value);
  // The model is told whenever its argument is not used.
  expect(narrowed.note.length).toBe(asked !== undefined && asked !== value ? 1 : 0);
});
