import { expect, it } from 'vitest';
import { foldPhase } from './evolve-phase.js';
import { buildPhaseStarted } from './phase.fixture.js';
import { listNeededFiles } from './pending-outcome.js';

// A gate whose file is not read passes for every plan.
it.each([
  ['todos-file', 'todos.yaml'],
  ['plan-exhausted', 'main_plan.md'],
] as const)('the gate %s on the last todo needs %s, also without an outcome for an exhausted plan', (gate, file) => {
  const finish = { outcome: 'done', gates: [gate] };
  const state = foldPhase([buildPhaseStarted({ routes: { finish }, plan: { todos: [] } })])!;
  expect(listNeededFiles(state)).toEqual([file]);
});
