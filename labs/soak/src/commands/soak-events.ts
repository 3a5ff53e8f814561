import type { JobId } from '@phaseline/contracts';
import { agentDefinitionSchema, createTodos, workflowSchema, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import { buildJobSubmitted } from '@phaseline/domain/testing';
import type { SeededRandom } from '@phaseline/harness';

const HASH = 'b'.repeat(64);
const agent = agentDefinitionSchema.parse({ name: 'soaker', displayName: 'Soaker', tools: {} });
const workflow = workflowSchema.parse({
  name: 'soak',
  version: 1,
  start: 'work',
  states: {
    work: {
      kind: 'tactical',
      title: 'Work',
      todos: ['Work'],
      finish: 'done',
      outcomes: { done: { end: 'completed' } },
    },
  },
});
const todos = [...createTodos(['one', 'two', 'three'])];
const who = { actor: 'soak', reason: 'drawn' };

/** The first event of a job, identical for every writer. */
export function createSoakSubmitted(jobId: JobId): JobEvent {
  const tenant = `tenant-${jobId.slice(0, 1)}`;
  return buildJobSubmitted({ jobId, actor: 'soak', agent, workflow, labels: { kind: 'soak' }, tenant });
}

/** Random event of a job stream. Folds must accept these in any order. */
export function drawJobEvent(random: SeededRandom): JobEvent {
  const phase = random.between(1, 3);
  return random.pick<() => JobEvent>([
    () => ({
      type: 'PhaseDispatched',
      data: {
        phase,
        attempt: 1,
        state: 'work',
        kind: random.pick(['strategic', 'tactical']),
        name: 'Work',
        todos,
        allowance: {},
      },
    }),
    () => ({ type: 'JobPaused', data: { ...who, pausedAt: '2030-01-01T00:00:00.000Z' } }),
    () => ({ type: 'JobResumed', data: who }),
    () => ({ type: 'JobSteered', data: { actor: 'soak', message: 'go on' } }),
    () => ({ type: 'JobCancelRequested', data: who }),
    () => ({ type: 'TimerFired', data: { timer: 'backoff-1' } }),
  ])();
}

/** Random event of a phase stream. */
export function drawPhaseEvent(random: SeededRandom): PhaseEvent {
  const callId = `call-${random.between(1, 12)}`;
  const step = random.between(1, 9);
  return random.pick<() => PhaseEvent>([
    () => ({
      type: 'ModelResponded',
      data: {
        step,
        model: random.pick(['large', 'small']),
        content: 'x'.repeat(random.between(0, 200)),
        calls: [],
        end: 'stop',
        usage: { inputTokens: random.between(1, 999), cachedInputTokens: 1, outputTokens: 3, estimated: false },
        costMicroUsd: random.between(1, 50),
        durationMs: 1,
      },
    }),
    () => ({
      type: 'ToolCallRequested',
      data: {
        callId,
        step,
        name: 'fetch',
        arguments: {},
        lane: random.pick(['inline', 'remote']),
        effect: 'pure',
        traits: [],
        timeoutMs: 1_000,
      },
    }),
    () => ({ type: 'ToolCallCompleted', data: { callId, content: 'ok', attempts: 1, durationMs: 2 } }),
    () => ({ type: 'ToolCallFailed', data: { callId, code: 'x', message: 'y', attempts: 2, durationMs: 3 } }),
    () => ({ type: 'TodoCompleted', data: { todoId: 1, callId } }),
    () => ({ type: 'TransitionRejected', data: { gate: 'deliverables', outcome: 'done', message: 'no' } }),
    () => ({ type: 'FileWritten', data: { path: 'a.md', hash: HASH, size: 1, writtenAt: '2026-01-01T00:00:00.000Z' } }),
    () => ({ type: 'PhaseTakenOver', data: { epoch: 1, leaseOwner: 'a', previousLeaseOwner: 'b' } }),
  ])();
}

export const SOAK_JOB_END: JobEvent = {
  type: 'JobCompleted',
  data: { summary: 'soaked', deliverables: [], confidence: 1, notes: '' },
};
export const SOAK_PHASE_END: PhaseEvent = { type: 'PhaseCompleted', data: { outcome: 'done' } };
