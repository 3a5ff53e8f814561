import { assertReadable } from '../event/assert-readable.js';
import { jobStream, phaseStream } from '../stream/stream-name.js';
import { describe, expect, it } from 'vitest';
import { agentDefinitionSchema } from '../agent/agent-definition.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import {
  JOB_ID,
  buildModelResponded,
  buildToolCallRequested,
  buildTodo,
  buildTodoCompleted,
} from '../phase/phase.fixture.js';
import { buildModelCallStarted } from '../testing/example-events.js';
import { workflowSchema } from '../workflow/workflow.js';
import { controlJob, type ControlChecks } from './control-job.js';
import { decideJob } from './decide-job.js';
import type { JobEvent } from './job-events.js';
import { foldJob } from './evolve-job.js';
import { type JobState } from './job-state.js';

const NOW = new Date('2030-01-01T00:00:00.000Z');
const CHECKS: ControlChecks = { hashArguments: JSON.stringify, parseArguments: () => undefined };
const workflow = workflowSchema.parse({
  name: 'alternate',
  version: 1,
  start: 'plan',
  caps: { phases: 4 },
  states: {
    plan: {
      kind: 'strategic',
      title: 'Plan',
      todos: ['look', 'plan'],
      finish: 'planned',
      retries: 1,
      outcomes: { planned: { to: 'execute', gates: ['todos-file'] } },
    },
    execute: {
      kind: 'tactical',
      title: 'Do',
      todos: 'from-file',
      finish: 'done',
      outcomes: { done: { to: 'review' } },
    },
    review: {
      kind: 'strategic',
      title: 'Review',
      todos: ['review'],
      finish: 'planned',
      completion: 'completed',
      outcomes: { planned: { to: 'execute', gates: ['todos-file'] }, completed: { end: 'completed' } },
    },
  },
});
const agent = agentDefinitionSchema.parse({
  name: 'tester',
  displayName: 'Tester',
  tools: { workspace: ['read_file'], domain: ['fetch'] },
});
const submitted: JobEvent = {
  type: 'JobSubmitted',
  data: {
    jobId: JOB_ID,
    actor: 'a',
    requestHash: '0'.repeat(64),
    agent,
    agentHash: '0'.repeat(64),
    workflow,
    workflowHash: '0'.repeat(64),
    tree: { 'instructions.md': { hash: '1'.repeat(64), size: 3, writtenAt: '2026-01-01T00:00:00.000Z' } },
    budgets: { maxCostUsd: 1, maxTokens: 1_000, maxWallTimeMs: 60_000 },
    parameters: {},
    labels: {},
    priority: 0,
    tenant: 'default',
  },
};
const plan = { phase: 'Phase one', todos: [1, 2, 3, 4, 5].map((id) => buildTodo(id)) };

/** Runs a job through phases that end with the given events, and returns the decision after the last one. */
function runPhases(...ends: (readonly PhaseEvent[])[]) {
  const history: JobEvent[] = [submitted];
  let job = foldJob(history)!;
  let decision = decideJob(job, undefined, NOW);
  let phase: ReturnType<typeof foldPhase>;
  for (const end of ends) {
    history.push(...decision.job);
    job = foldJob(history)!;
    phase = foldPhase([decision.next!.started, ...end]);
    decision = decideJob(job, phase, NOW);
  }
  return { job, phase, decision, history };
}
const planned: PhaseEvent[] = [{ type: 'PhaseCompleted', data: { outcome: 'planned', plan } }];
const done: PhaseEvent[] = [buildModelResponded(1), { type: 'PhaseCompleted', data: { outcome: 'done' } }];
const failWith = (retryable: boolean): PhaseEvent[] => [
  buildTodoCompleted(1),
  { type: 'PhaseFailed', data: { code: 'stopped_early', message: 'it stopped', retryable } },
];

describe('decideJob', () => {
  it('dispatches the first state with its predefined todos, the files of the job and its deadline', () => {
    const { decision } = runPhases();
    expect(decision.job).toMatchObject([
      { type: 'PhaseDispatched', data: { phase: 1, state: 'plan', kind: 'strategic' } },
      { type: 'TimerSet', data: { kind: 'deadline', dueAt: '2030-01-01T00:01:00.000Z' } },
    ]);
    expect(decision.next?.started.data).toMatchObject({
      terms: {
        allowance: { costMicroUsd: 1_000_000, tokens: 1_000, deadlineAt: '2030-01-01T00:01:00.000Z' },
        tools: ['read_file', 'todo_write', 'todo_complete'],
      },
      plan: {
        todos: [
          { id: 1, content: 'look' },
          { id: 2, content: 'plan' },
        ],
      },
      workspace: { tree: { 'instructions.md': { size: 3 } } },
    });
  });

  it('records only events that can be read back, even with extreme budgets', () => {
    const budgets = { maxCostUsd: 1e300, maxTokens: Number.MAX_SAFE_INTEGER, maxWallTimeMs: Number.MAX_SAFE_INTEGER };
    const { job, next } = decideJob(foldJob([{ ...submitted, data: { ...submitted.data, budgets } }])!, undefined, NOW);
    for (const { type, data } of [...job, next!.started]) {
      const streamId = type === 'PhaseStarted' ? phaseStream(JOB_ID, 1) : jobStream(JOB_ID);
      assertReadable({ streamId, correlationId: JOB_ID, type, schemaVersion: 1, data });
    }
  });

  it('returns what the phase left unread to the next phase, before what came later, whatever ended the phase', () => {
    const steered = (message: string, phase?: number): JobEvent => ({
      type: 'JobSteered',
      data: { actor: 'ada', message, ...(phase === undefined ? {} : { phase }) },
    });
    const edited: JobEvent = { type: 'WorkspaceEdited', data: { actor: 'ada', path: 'a.md', phase: 1 } };
    const received: readonly PhaseEvent[] = [
      { type: 'PhaseSteered', data: { actor: 'ada', message: 'two' } },
      { type: 'PhaseSteered', data: { actor: 'ada', message: 'I deleted the file a.md.' } },
    ];
    const dispatch = decideJob(foldJob([submitted, steered('one')])!, undefined, NOW);
    const history = [submitted, steered('one'), ...dispatch.job, steered('two', 1), edited];
    expect(dispatch.next!.started.data.notices).toEqual(['Message from ada: one']);
    const end = (...events: readonly PhaseEvent[]) => {
      const phase = foldPhase([dispatch.next!.started, ...events]);
      return decideJob(foldJob([...history, steered('three')])!, phase, NOW).next?.started.data.notices;
    };
    const [two, deleted, three] = [
      'Message from ada: two',
      'Message from ada: I deleted the file a.md.',
      'Message from ada: three',
    ];
    const started = buildModelCallStarted(1);
    expect(end(...received, ...failWith(true))).toEqual(['Message from ada: one', two, deleted, three]);
    expect(end(started, buildModelResponded(1), ...received, ...failWith(true))).toEqual([two, deleted, three]);
    expect(end(started, ...received, buildModelResponded(1), ...failWith(true))).toEqual([two, deleted, three]);
    expect(end(...received, started, ...failWith(true))).toEqual(['Message from ada: one', two, deleted, three]);
    expect(end(...received, started, buildModelResponded(1), ...failWith(true))).toEqual([three]);
    expect(end(...received, ...planned)).toEqual(['Message from ada: one', two, deleted, three]);
  });

  it('decides nothing while the phase runs', () => {
    const { decision } = runPhases([]);
    expect(decision).toEqual({ job: [], activePhase: [] });
  });

  it('passes the planned todos to a tactical phase, which gets domain tools but neither todo_write nor job_complete', () => {
    const { decision } = runPhases(planned);
    expect(decision.job).toMatchObject([
      { type: 'PhaseEnded' },
      { type: 'PhaseDispatched', data: { phase: 2, kind: 'tactical', name: 'Phase one', todos: plan.todos } },
    ]);
    expect(decision.next?.started.data.terms.tools).toEqual(['read_file', 'todo_complete', 'fetch']);
  });

  it('offers job_complete only in a state that has an outcome for it, and subtracts what was spent from the allowance', () => {
    const { decision } = runPhases(planned, done);
    expect(decision.next?.started.data).toMatchObject({
      identity: { state: 'review' },
      terms: { allowance: { costMicroUsd: 999_993, tokens: 985 } },
    });
    expect(decision.next?.started.data.terms.tools).toContain('job_complete');
  });

  it('completes the job with what the last phase proposed', () => {
    const completion = { summary: 'all done', deliverables: [], confidence: 0.9, notes: '' };
    const { decision } = runPhases(planned, done, [
      { type: 'PhaseCompleted', data: { outcome: 'completed', completion } },
    ]);
    expect(decision.job).toMatchObject([{ type: 'PhaseEnded' }, { type: 'JobCompleted', data: completion }]);
    expect(decision.next).toBeUndefined();
  });

  it('retries a failed phase with its current todos, and only as often as the state allows', () => {
    const { decision } = runPhases(failWith(true));
    expect(decision.job.at(-1)).toMatchObject({
      type: 'PhaseDispatched',
      data: {
        phase: 2,
        attempt: 2,
        state: 'plan',
        todos: [
          { id: 1, status: 'done' },
          { id: 2, status: 'open' },
        ],
      },
    });
    const second = runPhases(failWith(true), failWith(true));
    expect(second.decision.job.at(-1)).toMatchObject({
      type: 'JobFailed',
      data: { code: 'stopped_early', message: expect.stringContaining('2 attempts') },
    });
  });

  it('counts what a failed attempt changed as changed in the next one', () => {
    const hash = 'a'.repeat(64);
    const written: PhaseEvent = {
      type: 'FileWritten',
      data: { path: 'plan.md', hash, size: 3, writtenAt: NOW.toISOString(), callId: 'w' },
    };
    const { decision } = runPhases([written, ...failWith(true)]);
    expect(decision.next?.started.data).toMatchObject({
      workspace: { attempted: { phase: [{ path: 'plan.md' }], todo: [] } },
      previousFailure: { phase: 1, code: 'stopped_early' },
    });
  });

  it('does not retry a failure that is not retryable', () => {
    expect(runPhases(failWith(false)).decision.job.at(-1)).toMatchObject({
      type: 'JobFailed',
      data: { code: 'stopped_early' },
    });
  });

  it('fails a job that has used all its phases', () => {
    const { decision } = runPhases(planned, done, planned, done);
    expect(decision.job.at(-1)).toMatchObject({ type: 'JobFailed', data: { code: 'phase_limit' } });
  });

  it('cancels the open calls of the active phase, the phase and the job in one decision', () => {
    const { phase, history } = runPhases([
      buildModelResponded(1, [{ callId: 'a', name: 'fetch', arguments: {} }]),
      buildToolCallRequested('a', 'remote'),
    ]);
    const request = { action: 'cancel', actor: 'operator', reason: 'not needed' } as const;
    const asked = controlJob(foldJob(history)!, phase, request, NOW, CHECKS);
    const job = foldJob([...history, ...(asked.kind === 'record' ? asked.job : [])])!;
    const decision = decideJob(job, phase, NOW);
    expect(decision.activePhase).toMatchObject([
      { type: 'ToolCallFailed', data: { callId: 'a', code: 'cancelled' } },
      { type: 'PhaseCancelled' },
    ]);
    expect(decision.job).toMatchObject([
      { type: 'PhaseEnded', data: { result: { kind: 'cancelled' } } },
      { type: 'JobCancelled', data: { actor: 'operator' } },
    ]);
    const ended: JobState = foldJob(decision.job, job)!;
    expect(decideJob(ended, undefined, NOW).job).toEqual([]);
    expect(controlJob(ended, undefined, request, NOW, CHECKS)).toMatchObject({ kind: 'refused' });
  });
});

it('a phase may use what the limits of turns and of a day allow, of the agent and of the submission', () => {
  const turns = { max: 10, workMs: 45_000, softCostUsd: 0.3 };
  const limited = {
    ...submitted.data,
    ...{ agent: { ...agent, turns, dailyBudget: { costUsd: 5, zone: 'UTC' } } },
    ...{ turns: { workMs: 1_000, softCostUsd: 0.1 }, dailyBudget: { costUsd: 1 } },
  };
  const { next } = decideJob(foldJob([{ type: 'JobSubmitted', data: limited } as JobEvent])!, undefined, NOW);
  expect(next!.dispatched.data.allowance).toMatchObject({
    turn: { number: 1, max: 10, maxWorkMs: 1_000, softCostMicroUsd: 100_000 },
    daily: { actor: 'a', costMicroUsd: 1_000_000 },
  });
});
