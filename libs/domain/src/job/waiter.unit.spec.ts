import { buildModelCallStarted } from '../testing/example-events.js';
import { describe, expect, it } from 'vitest';
import { agentDefinitionSchema } from '../agent/agent-definition.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import {
  buildToolCallCompleted,
  JOB_ID,
  buildModelResponded,
  buildPhaseStarted,
  buildToolCallRequested,
} from '../phase/phase.fixture.js';
import { workflowSchema } from '../workflow/workflow.js';
import { describeWaiter } from './describe-waiter.js';
import type { JobEvent } from './job-events.js';
import { foldJob } from './evolve-job.js';
import { listAwaitedMessages, findWaiter } from './waiter.js';

const AT = '2030-01-01T00:00:00.000Z';
const submitted: JobEvent = {
  type: 'JobSubmitted',
  data: {
    jobId: JOB_ID,
    actor: 'a',
    requestHash: '0'.repeat(64),
    agent: agentDefinitionSchema.parse({ name: 'tester', displayName: 'Tester', tools: {} }),
    agentHash: '0'.repeat(64),
    workflow: workflowSchema.parse({
      name: 'short',
      version: 1,
      start: 'plan',
      states: {
        plan: {
          kind: 'strategic',
          title: 'Plan',
          todos: ['look'],
          finish: 'done',
          outcomes: { done: { end: 'completed' } },
        },
      },
    }),
    workflowHash: '0'.repeat(64),
    tree: {},
    budgets: {},
    parameters: {},
    labels: {},
    priority: 0,
    tenant: 'acme',
  },
};
const dispatched: JobEvent = {
  type: 'PhaseDispatched',
  data: { phase: 1, attempt: 1, state: 'plan', kind: 'tactical', name: 'Plan', todos: [], allowance: {} },
};
const ended: JobEvent = {
  type: 'PhaseEnded',
  data: {
    phase: 1,
    result: { kind: 'failed', failure: { code: 'model_failed', message: 'away' }, retryable: true },
    spending: { steps: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
  },
};
const called = buildModelCallStarted(1, { leaseOwner: 'worker-1' });
const fetches = [
  { callId: 'c1', name: 'fetch', arguments: {} },
  { callId: 'c2', name: 'fetch', arguments: {} },
];
const started = (callId: string): PhaseEvent => ({ type: 'ToolCallStarted', data: { callId, leaseOwner: 'runner-1' } });
const approval: PhaseEvent = {
  type: 'ApprovalRequested',
  data: {
    callId: 'c1',
    step: 1,
    name: 'fetch',
    arguments: {},
    lane: 'remote',
    effect: 'once',
    traits: [],
    timeoutMs: 1_000,
    expiresAt: AT,
  },
};
const paused: JobEvent = { type: 'JobPaused', data: { actor: 'eve', reason: 'lunch', pausedAt: AT } };
const phasePaused: PhaseEvent = { type: 'PhasePaused', data: { actor: 'eve', reason: 'lunch' } };

const STREAM = `phase-${JOB_ID}-1`;
const cases: [string, JobEvent[], PhaseEvent[] | undefined, object, string][] = [
  [
    'the first decision',
    [],
    undefined,
    { kind: 'decision', about: 'first-phase' },
    'the orchestrator to dispatch its first phase',
  ],
  [
    'a worker, when the phase was only dispatched',
    [dispatched],
    [],
    { kind: 'message', messages: [{ queue: 'tactical', id: `${JOB_ID}-1-v1-e0` }], tools: [] },
    'a worker of the queue tactical to take phase 1',
  ],
  [
    'the owner of the model call',
    [dispatched],
    [called],
    { kind: 'lease', leaseOwner: 'worker-1', leaseName: STREAM, step: 1 },
    "the model's answer to step 1 of phase 1, requested by worker-1",
  ],
  [
    'the tool-runner',
    [dispatched],
    [
      called,
      buildModelResponded(1, fetches),
      buildToolCallRequested('c1', 'remote'),
      buildToolCallRequested('c2', 'remote'),
    ],
    {
      kind: 'message',
      messages: [
        { queue: 'tools', id: `${JOB_ID}-1-c1-e0` },
        { queue: 'tools', id: `${JOB_ID}-1-c2-e0` },
      ],
      tools: ['fetch', 'fetch'],
    },
    'the tool-runner to run 2 calls of fetch (phase 1)',
  ],
  [
    'the one of two calls that is still open',
    [dispatched],
    [
      called,
      buildModelResponded(1, fetches),
      buildToolCallRequested('c1', 'remote'),
      buildToolCallRequested('c2', 'remote'),
      buildToolCallCompleted('c1'),
    ],
    { kind: 'message', messages: [{ queue: 'tools', id: `${JOB_ID}-1-c2-e0` }] },
    'the tool-runner to run the call of fetch (phase 1)',
  ],
  [
    'the runner of a call that must not run twice',
    [dispatched],
    [called, buildModelResponded(1, fetches.slice(0, 1)), buildToolCallRequested('c1', 'remote'), started('c1')],
    { kind: 'lease', leaseOwner: 'runner-1', leaseName: `${STREAM}/c1`, tool: 'fetch' },
    'the tool fetch of phase 1, run by runner-1',
  ],
  [
    'a worker, once all calls have ended',
    [dispatched],
    [
      called,
      buildModelResponded(1, fetches.slice(0, 1)),
      buildToolCallRequested('c1', 'remote'),
      buildToolCallCompleted('c1'),
    ],
    { kind: 'message', messages: [{ queue: 'tactical', id: `${JOB_ID}-1-v5-e0` }] },
    'a worker of the queue tactical to take phase 1',
  ],
  [
    'a person who approves a call',
    [dispatched],
    [called, buildModelResponded(1, fetches.slice(0, 1)), approval],
    { kind: 'approval', callId: 'c1', tool: 'fetch', expiresAt: AT, others: 0 },
    `a person to approve the call of fetch (c1), until ${AT}`,
  ],
  [
    'a person who resumes it, during a phase',
    [dispatched, paused],
    [phasePaused],
    { kind: 'pause', actor: 'eve', since: AT },
    `a person to resume it: eve paused it at ${AT} (lunch)`,
  ],
  [
    'a person who resumes it, between phases',
    [dispatched, ended, paused],
    undefined,
    { kind: 'pause', actor: 'eve', since: AT },
    `a person to resume it: eve paused it at ${AT} (lunch)`,
  ],
  [
    'the decision after a phase',
    [dispatched],
    [{ type: 'PhaseFailed', data: { code: 'stopped_early', message: 'm', retryable: true } }],
    { kind: 'decision', about: 'next-phase' },
    'the orchestrator to decide what follows the phase that ended',
  ],
  [
    'the pause before the next attempt',
    [dispatched, ended, { type: 'TimerSet', data: { timer: 'backoff-1', kind: 'backoff', dueAt: AT } }],
    undefined,
    { kind: 'timer', timer: 'backoff-1', timerKind: 'backoff', dueAt: AT },
    `the pause before the next attempt, until ${AT}`,
  ],
  [
    'its end, once that was requested',
    [dispatched, { type: 'JobCancelRequested', data: { actor: 'eve', reason: 'r' } }],
    [called],
    { kind: 'decision', about: 'end' },
    'the orchestrator to end it, as requested',
  ],
  [
    'the phase whose stream does not exist yet',
    [dispatched],
    undefined,
    { kind: 'decision', about: 'phase' },
    'the orchestrator to start the phase that it dispatched',
  ],
];

describe('what a job waits for', () => {
  it.each(cases)('is %s', (_, jobEvents, phaseEvents, waiter, sentence) => {
    const job = foldJob([submitted, ...jobEvents])!;
    const phase = phaseEvents && foldPhase([buildPhaseStarted(), ...phaseEvents]);
    const found = findWaiter(job, phase);
    expect(found).toMatchObject(waiter);
    expect(describeWaiter(found!)).toBe(sentence);
    // The waiter and the messages that must exist never disagree.
    if (phase) expect(listAwaitedMessages(phase)).toEqual(found?.kind === 'message' ? found.messages : []);
  });

  it('is a slot, when its tenant has none free', () => {
    const job = foldJob([submitted])!;
    expect(findWaiter(job, undefined, { isTenantAtLimit: true })).toEqual({ kind: 'slot', tenant: 'acme' });
    expect(describeWaiter({ kind: 'slot', tenant: 'acme' })).toMatch(/^a free slot: the tenant acme/);
  });

  it.each<JobEvent>([
    { type: 'JobCancelled', data: { actor: 'eve', reason: 'r' } },
    { type: 'JobFailed', data: { code: 'c', message: 'm' } },
  ])('is nothing after $type', (end) => {
    expect(findWaiter(foldJob([submitted, end])!, undefined)).toBeUndefined();
  });

  it('is known at every point before the end', () => {
    const life: JobEvent[] = [submitted, dispatched, paused, { type: 'JobResumed', data: { actor: 'a', reason: '' } }];
    const phaseLife: PhaseEvent[] = [
      buildPhaseStarted(),
      called,
      { type: 'PhaseTakenOver', data: { epoch: 1, leaseOwner: 'worker-2', previousLeaseOwner: 'worker-1' } },
      phasePaused,
      { type: 'PhaseResumed', data: { actor: 'a' } },
      buildModelResponded(1, fetches.slice(0, 1)),
      approval,
      { type: 'ApprovalGranted', data: { callId: 'c1', actor: 'a' } },
      started('c1'),
      buildToolCallCompleted('c1'),
    ];
    for (let jobs = 1; jobs <= life.length; jobs += 1) {
      for (let phases = 0; phases <= phaseLife.length; phases += 1) {
        const found = findWaiter(foldJob(life.slice(0, jobs))!, foldPhase(phaseLife.slice(0, phases)));
        expect(found).toBeDefined();
        expect(describeWaiter(found!)).not.toContain('undefined');
      }
    }
  });
});
