import { expect, it } from 'vitest';
import { ToolError } from '@phaseline/contracts';
import { z } from 'zod';
import { parseOutcome } from './parse-outcome.js';

const tool = { name: 'count', result: z.strictObject({ lines: z.int(), text: z.string() }) };

it('keeps a result of the declared shape, also beside an error', async () => {
  const result = { lines: 1, text: 'a' };
  expect(await parseOutcome(tool, Promise.resolve({ content: '', result }))).toEqual({ content: '', result });
  expect(await parseOutcome(tool, Promise.resolve({ content: '' }))).toEqual({ content: '' });
  const failed = parseOutcome(tool, Promise.reject(new ToolError('full', 'm', { retryable: true, result })));
  await expect(failed).rejects.toMatchObject({ code: 'full', retryable: true, result });
});

it.each([
  ['of another shape', tool, { lines: 'one' }],
  ['that is too long', tool, { lines: 1, text: 'x'.repeat(64_000) }],
  ['of a tool that declares none', { name: 'count' }, { lines: 1 }],
])('refuses a result %s, and removes it from an error', async (_, declared, result) => {
  const ended = parseOutcome(declared, Promise.resolve({ content: '', result }));
  await expect(ended).rejects.toMatchObject({ code: 'invalid_result', outcomeUnknown: true });
  const failed = parseOutcome(declared, Promise.reject(new ToolError('full', 'm', { result })));
  await expect(failed).rejects.toMatchObject({ code: 'full', result: undefined });
});
