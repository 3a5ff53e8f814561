import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { foldPhase } from '../phase/evolve-phase.js';
import { buildPhaseStarted, buildToolCallCompleted, buildToolCallRequested } from '../phase/phase.fixture.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { StartChanges } from '../testing/phase-start.js';
import { buildAddedRules, checkPlan } from './plan-rules.js';

const hash = 'a'.repeat(64);
const writtenAt = '2026-01-01T00:00:00.000Z';
const NO_TEXTS = new Map<string, string>();

/** A strategic phase whose agent has one verifier and one schema, and whose workspace has one file. */
const phase = (plan: StartChanges['plan'] = {}, ...events: readonly PhaseEvent[]) =>
  foldPhase([
    buildPhaseStarted({
      workspace: { tree: { 'notes.md': { hash, size: 300, writtenAt } } },
      terms: { verifiers: ['unit'], schemas: { 'schemas/list.json': { type: 'array' } } },
      plan: { claimRules: 2, limits: { min: 1, max: 20 }, ...plan },
    }),
    ...events,
  ])!;

/** A plan of one todo with these outputs. */
const planOf = (outputs: unknown, more: object = { phase: 'Work', description: 'Do it.' }): string =>
  dump({ ...more, todos: [{ id: 1, content: 'Do it', outputs }] });

const check = (outputs: unknown, state = phase()) => checkPlan(state, planOf(outputs), NO_TEXTS);

function readOutputsOf(outputs: unknown) {
  const result = check(outputs);
  if (!result.ok) throw new Error(result.problems.join(' '));
  return result.plan.todos[0]!.outputs;
}

describe('outputs of a planned todo', () => {
  it('are checks; a path demands a file with content that changed in the phase', () => {
    const verifier = { verifier: 'unit' };
    expect(readOutputsOf(['./work/list.json', verifier])).toEqual([
      { file: { path: 'work/list.json', changedSince: 'phase', minBytes: 1 } },
      verifier,
    ]);
  });

  it('count one change of a file once: a later todo with the same path needs another', () => {
    const todos = [1, 2].map((id) => ({ id, content: `Part ${id}`, outputs: ['notes.md'] }));
    const result = checkPlan(phase(), dump({ todos }), NO_TEXTS);
    expect(result).toMatchObject({
      ok: true,
      plan: {
        todos: [{ outputs: [{ file: { changedSince: 'phase' } }] }, { outputs: [{ file: { changedSince: 'todo' } }] }],
      },
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['a file that exists already', [{ file: { path: 'notes.md' } }], /todo 1, output 1 holds already/],
    ['a file that must not exist and does not', [{ file: { path: 'none.md', exists: false } }], /holds already/],
    ['what holds as soon as nothing is done', [{ not: { call: { tool: 'write_file' } } }], /holds already/],
    ['an alternative that holds', [{ any: [{ verifier: 'unit' }, { file: { path: 'notes.md' } }] }], /holds already/],
    ['the list itself', ['todos.yaml'], /todos\.yaml, which the system writes/],
    ['an archive', ['archive/phase_001.md'], /which the system writes/],
    [
      'a glob that an archive fulfils',
      [{ file: { path: '**/*.md', changedSince: 'phase' } }],
      /which the system writes/,
    ],
    ['the result of the job', ['output/completion.json'], /which the system writes/],
    ['a verifier that the agent does not have', [{ verifier: 'e2e' }], /the verifier e2e.*it has: unit/],
    ['a judge that the agent does not have', [{ judge: 'mood' }], /the judge mood.*it has: diff-review/],
    [
      'a schema that the agent does not have',
      [{ file: { path: 'a.json', jsonSchema: 'b.json' } }],
      /the schema b\.json/,
    ],
    ['a path that leads out of the workspace', ['../secret'], /must be the path of a file in the workspace/],
    ['a folder', ['work/'], /must be the path of a file/],
    ['an unknown kind of check', [{ files: 'a' }], /output 1 must have exactly one of: file, call/],
    ['an unknown member', [{ file: { path: 'a.md', size: 3 } }], /output 1\.file/],
    ['a text instead of a list', 'work/list.json', /'outputs' must be a list/],
  ])('are refused: %s', (_what, outputs, expected) => {
    const result = check(outputs);
    expect(result.ok ? '' : result.problems.join(' ')).toMatch(expected);
  });

  it('that hold only by what the planning phase did are no proof, and are accepted as demands', () => {
    const read: PhaseEvent[] = [buildToolCallRequested('a', 'remote'), buildToolCallCompleted('a')];
    expect(check([{ call: { tool: 'fetch', since: 'phase' } }], phase({}, ...read)).ok).toBe(true);
  });

  it('are demanded, with the phase and its objective, if the agent says so', () => {
    const state = phase({ limits: { min: 1, max: 20, requireOutputs: true } });
    expect(check(['work/list.json'], state).ok).toBe(true);
    for (const [text, expected] of [
      [planOf(undefined), /'outputs' must name at least one/],
      [planOf([]), /'outputs' must be a list of 1/],
      [planOf(['a.md'], { description: 'Do it.' }), /'phase' must name/],
      [planOf(['a.md'], { phase: 'Work' }), /'description' must state/],
    ] as const) {
      const result = checkPlan(state, text, NO_TEXTS);
      expect(result.ok ? '' : result.problems.join(' ')).toMatch(expected);
    }
    expect(checkPlan(phase(), dump({ todos: [{ id: 1, content: 'Do it' }] }), NO_TEXTS).ok).toBe(true);
  });

  it('have no rules in phases that began before plans had outputs', () => {
    expect(check(['todos.yaml'], phase({ claimRules: 1 })).ok).toBe(true);
    expect(buildAddedRules(phase({ claimRules: 1 }), NO_TEXTS)).toBeUndefined();
  });
});
