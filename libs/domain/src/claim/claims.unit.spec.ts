import { describe, expect, it } from 'vitest';
import { advancePhase } from '../phase/advance-phase.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import {
  buildModelResponded,
  buildPhaseStarted,
  buildTodo,
  buildTodoCompleted,
  buildToolCallCompleted,
  buildToolCallFailed,
  buildToolCallRequested,
} from '../phase/phase.fixture.js';
import type { StartChanges } from '../testing/phase-start.js';
import { buildCheckInput } from './claim-input.js';
import { evaluateTodoClaim, listTodoChecks } from './todo-claim.js';

const phaseAfter = (start: StartChanges, ...events: PhaseEvent[]) => foldPhase([buildPhaseStarted(start), ...events])!;
const NO_TEXTS = new Map<string, string>();

function claim(events: readonly PhaseEvent[], callId = 'claiming', proposesEnd = false) {
  const state = phaseAfter({}, ...events);
  const todo = state.todos.list.find(({ status }) => status === 'open')!;
  return evaluateTodoClaim(state, { todo, callId, proposesEnd }, buildCheckInput(state, NO_TEXTS)).kind;
}

function asBookkeeping(event: PhaseEvent): PhaseEvent {
  if (event.type !== 'ToolCallRequested') throw new Error('expected an admitted call');
  return { ...event, data: { ...event.data, traits: ['bookkeeping'] } };
}

describe('a todo without checks of its own', () => {
  const worked = [buildToolCallRequested('a', 'remote'), buildToolCallCompleted('a')];

  it('is done after a call that works on it', () => {
    expect(claim(worked)).toBe('holds');
  });

  it.each<[string, readonly PhaseEvent[]]>([
    ['without any call', []],
    ['after a call that failed', [buildToolCallRequested('a', 'remote'), buildToolCallFailed('a')]],
    ['after bookkeeping', [asBookkeeping(buildToolCallRequested('a', 'inline')), buildToolCallCompleted('a')]],
    ['after a call that was made for the todo before it', [...worked, buildTodoCompleted(1)]],
  ])('is not done %s', (_how, events) => {
    expect(claim(events)).toBe('fails');
  });

  it('is not done by the answer that completed another one, even with work between them', () => {
    const answer = buildModelResponded(
      1,
      ['done-1', 'b', 'done-2'].map((callId) => ({ callId, name: 'fetch', arguments: {} })),
    );
    const more = [buildToolCallRequested('b', 'remote'), buildToolCallCompleted('b')];
    expect(claim([...worked, answer, buildTodoCompleted(1), ...more], 'done-2')).toBe('fails');
    expect(claim([...worked, buildTodoCompleted(1), ...more], 'done-2')).toBe('holds');
  });

  it('needs no call besides the one that proposes the end of the job, whose gates decide', () => {
    expect(claim([], 'claiming', true)).toBe('holds');
  });
});

describe('the end of a phase', () => {
  const hash = 'a'.repeat(64);
  const writtenAt = '2026-01-01T00:00:00.000Z';
  const tree = { 'output/report.md': { hash, size: 9, writtenAt } };
  const start = (changes: StartChanges): StartChanges => ({
    workspace: { tree },
    ...changes,
    plan: { todos: [buildTodo(1)], ...changes.plan },
  });
  const read = (text: string) => ({ todosFile: undefined, claimTexts: new Map([[hash, text]]) });
  const changed = { file: { path: 'workspace.md', changedSince: 'phase' as const } };

  it('is refused while a check of its outcome fails; the rejection names the refusal and opens the last todo again', () => {
    const routes = { finish: { outcome: 'done', gates: [], checks: [changed] } };
    const state = phaseAfter(start({ routes }), buildTodoCompleted(1));
    const { events, next } = advancePhase(state, read(''));
    expect(next).toBe('call-model');
    expect(events).toMatchObject([
      {
        type: 'ClaimRefused',
        data: { subject: { kind: 'phase', outcome: 'done' }, failures: [{ check: changed }], inARow: 1 },
      },
      { type: 'TransitionRejected', data: { gate: 'checks', refusedAt: state.version + 1 } },
    ]);
    expect(foldPhase(events, state)!.todos.list[0]!.status).toBe('open');
  });

  it('does not take what the system writes itself for a change by the agent', () => {
    const routes = { finish: { outcome: 'done', gates: [], checks: [changed] } };
    const write = (callId?: string): PhaseEvent => ({
      type: 'FileWritten',
      data: { path: 'workspace.md', hash: 'b'.repeat(64), size: 3, writtenAt, ...(callId ? { callId } : {}) },
    });
    const endOf = (...events: PhaseEvent[]) =>
      advancePhase(phaseAfter(start({ routes }), ...events, buildTodoCompleted(1)), read('')).next;
    expect(endOf(write())).toBe('call-model');
    expect(endOf(write('a'))).toBe('ended');
  });

  it('needs deliverables that are as the agent demands, and carries the evidence', () => {
    const deliverables = [{ path: 'output/report.md', minBytes: 20 }];
    const routes = { finish: { outcome: 'completed', gates: ['deliverables' as const] } };
    const state = phaseAfter(start({ routes, plan: { deliverables } }), buildTodoCompleted(1));
    expect(advancePhase(state, read('x')).events).toMatchObject([
      { type: 'ClaimRefused', data: { failures: [{ found: '1' }] } },
      { type: 'TransitionRejected' },
    ]);
    expect(advancePhase(state, read('A report of some length.')).events).toMatchObject([
      { type: 'PhaseCompleted', data: { evidence: [{ files: [{ path: 'output/report.md', hash }] }] } },
    ]);
  });

  it('waits for a verifier, and fails closed when it does not pass', () => {
    const routes = { finish: { outcome: 'done', gates: [], checks: [{ verifier: 'unit' }] } };
    const state = phaseAfter(start({ routes }), buildTodoCompleted(1));
    const { events, next } = advancePhase(state, read(''));
    expect(next).toBe('wait');
    expect(events.map(({ type }) => type)).toEqual(['ClaimRaised', 'ToolCallRequested']);
    const [, requested] = events;
    if (requested?.type !== 'ToolCallRequested') throw new Error('expected a call of the system');
    const failed = foldPhase([...events, buildToolCallFailed(requested.data.callId)], state)!;
    expect(advancePhase(failed, read('')).events).toMatchObject([
      { type: 'ClaimRefused', data: { failures: [{ check: { verifier: 'unit' } }] } },
      { type: 'TransitionRejected' },
    ]);
  });
});

describe('a planned todo', () => {
  const hash = 'b'.repeat(64);
  const writtenAt = '2026-01-01T00:00:00.000Z';
  const DELIVERABLE = { path: 'output/report.md', minBytes: 20 };
  const worked = [buildToolCallRequested('a', 'remote'), buildToolCallCompleted('a')];

  function claimOf(content: string, outputs: readonly object[], text: string) {
    const todo = { ...buildTodo(1), content, outputs: outputs as never };
    const state = phaseAfter(
      {
        identity: { kind: 'tactical' },
        workspace: { tree: { 'output/report.md': { hash, size: text.length, writtenAt } } },
        plan: { claimRules: 2, todos: [todo], deliverables: [DELIVERABLE] },
      },
      ...worked,
    );
    const claimed = state.todos.list[0]!;
    return evaluateTodoClaim(
      state,
      { todo: claimed, callId: 'claiming' },
      buildCheckInput(state, new Map([[hash, text]])),
    );
  }

  it.each<[string, string, readonly object[]]>([
    ['in its text', 'Write output/report.md.', []],
    ['as the path of an output', 'Write the report', [{ file: { path: 'output/report.md' } }]],
  ])('that names a deliverable %s is held to what the agent demands of it', (_where, content, outputs) => {
    expect(claimOf(content, outputs, 'x').kind).toBe('fails');
    expect(claimOf(content, outputs, 'A report of some length.').kind).toBe('holds');
  });

  it.each(['Write old-output/report.md', 'Write output/report.md.bak', 'Write output/report.mdx', 'Write the report'])(
    'is not held to a deliverable that it does not name: %s',
    (content) => {
      expect(claimOf(content, [], 'x').kind).toBe('holds');
    },
  );

  it.each<[string, readonly string[], boolean]>([
    ['the path of an output', ['output/report.md'], true],
    ['a glob of outputs', ['output/*.md'], true],
    ['no such output', ['notes/a.md'], false],
  ])('that names %s is held to what the agent demands of matching files', (_what, paths, isHeld) => {
    const outputs = paths.map((path) => ({ file: { path } })) as never;
    const state = phaseAfter({
      identity: { kind: 'tactical' },
      workspace: {
        tree: { 'output/report.md': { hash, size: 1, writtenAt }, 'other/a.md': { hash, size: 1, writtenAt } },
      },
      plan: {
        claimRules: 2,
        todos: [{ ...buildTodo(1), outputs }],
        limits: { min: 1, max: 20, outputs: [{ path: '{output,other}/**', minBytes: 20, verifier: 'tests' }] },
      },
    });
    expect(listTodoChecks(state, state.todos.list[0]!).slice(paths.length)).toEqual(
      isHeld ? [{ file: { path: 'output/report.md', minBytes: 20 } }, { verifier: 'tests' }] : [],
    );
  });

  it('that demands only calls needs work too, so that no plan makes bookkeeping count', () => {
    const outputs = [{ call: { tool: 'list_todos', since: 'phase' } }];
    const todo = { ...buildTodo(1), outputs: outputs as never };
    const listed = [asBookkeeping(buildToolCallRequested('a', 'inline', 'list_todos')), buildToolCallCompleted('a')];
    const state = phaseAfter({ identity: { kind: 'tactical' }, plan: { claimRules: 2, todos: [todo] } }, ...listed);
    const claimed = { todo: state.todos.list[0]!, callId: 'claiming' };
    expect(evaluateTodoClaim(state, claimed, buildCheckInput(state, NO_TEXTS)).kind).toBe('fails');
  });
});
