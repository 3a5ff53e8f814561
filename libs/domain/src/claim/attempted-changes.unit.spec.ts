import { describe, expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { buildPhaseStarted, buildTodo, buildTodoCompleted } from '../phase/phase.fixture.js';
import type { PhaseState } from '../phase/phase-state.js';
import { evaluateChecks, type Check } from '@phaseline/checks';
import { listAttemptedChanges } from './attempted-changes.js';
import { buildCheckInput } from './claim-input.js';

const writtenAt = '2026-01-01T00:00:00.000Z';
const REPORT = 'output/report.md';
const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
const entry = (hash: string) => ({ hash, size: 9, writtenAt });
const write = (hash: string, path = REPORT): PhaseEvent => ({
  type: 'FileWritten',
  data: { path, ...entry(hash), callId: 'write' },
});
const remove: PhaseEvent = { type: 'FileDeleted', data: { path: REPORT, callId: 'write' } };
const todos = [buildTodo(1), buildTodo(2)];
type Tree = PhaseState['tree'];

function runPhase(tree: Tree, events: readonly PhaseEvent[], failed?: PhaseState): PhaseState {
  const attempted = failed && listAttemptedChanges(failed, tree);
  const workspace = { tree, ...(attempted ? { attempted } : {}) };
  return foldPhase([buildPhaseStarted({ workspace, plan: { todos: [...(failed?.todos.list ?? todos)] } }), ...events])!;
}

/** Runs attempts one after the other, each with the files of the one before. */
function runAttempts(tree: Tree, ...attempts: (readonly PhaseEvent[])[]): PhaseState {
  const [begin = [], ...later] = attempts;
  return later.reduce((failed, events) => runPhase(failed.tree, events, failed), runPhase(tree, begin));
}

const evaluate = (state: PhaseState, check: Check) => evaluateChecks([check], buildCheckInput(state, new Map())).kind;
const isChanged = (state: PhaseState, changedSince: 'phase' | 'todo' = 'phase') =>
  evaluate(state, { file: { path: REPORT, changedSince } }) === 'holds';

describe('a file that a failed attempt changed', () => {
  const old = { [REPORT]: entry(first) };

  it.each<[string, Tree, (readonly PhaseEvent[])[], boolean]>([
    ['counts as changed if the next attempt writes the same text', {}, [[write(first)], [write(first)]], true],
    ['counts as changed if its text was good already', old, [[write(second)], []], true],
    ['counts as changed in the third attempt too', old, [[write(second)], [], [write(second)]], true],
    ['does not if the next attempt writes what was there before', old, [[write(second)], [write(first)]], false],
    ['does not if it is written again as it was after it was deleted', old, [[remove], [write(first)]], false],
    ['does not if nothing wrote it', old, [[write(second, 'other.md')], [write(first)]], false],
  ])('%s', (_what, tree, attempts, expected) => {
    const state = runAttempts(tree, ...attempts);
    expect([isChanged(state), isChanged(state, 'todo')]).toEqual([expected, expected]);
  });

  it('does not count for a todo that began after it', () => {
    const state = runAttempts({}, [write(first)], [buildTodoCompleted(1), write(first)]);
    expect([isChanged(state), isChanged(state, 'todo')]).toEqual([true, false]);
  });

  it('does not count if others changed it before the next attempt', () => {
    const failed = runPhase(old, [write(second)]);
    const edited = { [REPORT]: entry('c'.repeat(64)) };
    expect(isChanged(runPhase(edited, [], failed))).toBe(false);
    expect(isChanged(runPhase(edited, [write(second)], failed))).toBe(true);
  });

  it('has to be read by the next attempt, which knows nothing of it', () => {
    const read = { read: { path: REPORT } };
    expect(evaluate(runPhase({}, [write(first)]), read)).toBe('holds');
    expect(evaluate(runAttempts({}, [write(first)], []), read)).toBe('fails');
  });
});
