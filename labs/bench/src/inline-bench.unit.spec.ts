import { inlinePacks } from '@phaseline/inline-packs';
import { expect, it } from 'vitest';
import { TOOL_CASES } from './inline-bench.js';

it('measures every inline tool: none may block its worker unnoticed', () => {
  const measured = new Set(TOOL_CASES.map(({ tool }) => tool));
  const names = inlinePacks.flatMap(({ tools }) => tools.map(({ name }) => name));
  expect(names.filter((name) => !measured.has(name))).toEqual([]);
});
