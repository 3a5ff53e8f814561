import type { EventRecord, JobSummary } from '@phaseline/client';
import type { CallId, StreamId } from '@phaseline/contracts';
import {
  jobStream,
  phaseStream,
  type ContextSettings,
  type JobEvent,
  type PhaseEvent,
  type PhaseLimits,
} from '@phaseline/domain';
import { buildModelCallStarted } from '@phaseline/domain/testing';

export const JOB_ID = '019a8f00-0000-7000-8000-00000000000a';

const HASH = 'a'.repeat(64);
const EXAMPLE_CONTEXT: ContextSettings = {
  keepResults: 5,
  clearTokens: 12_000,
  summariseTokens: 80_000,
  todoList: 'after-system',
};
const EXAMPLE_LIMITS: PhaseLimits = {
  steps: 10,
  nudges: 1,
  gateRejections: 1,
  deniedCalls: 1,
  identicalFailures: 5,
  takeovers: 8,
  callsPerResponse: 1,
  resultCharacters: 1_000,
};
const EXAMPLE_STATE = {
  kind: 'strategic' as const,
  title: 'Explore and plan',
  todos: ['look', 'plan'],
  finish: 'done',
  outcomes: { done: { end: 'completed' as const, gates: [] } },
  backoffMs: 0,
  retries: 1,
  archive: false,
};
const START = Date.parse('2025-03-01T12:00:00.000Z');

/** Converts domain events to the records that the API returns, one second and two positions apart. */
export class ExampleLog {
  readonly records: EventRecord[] = [];

  job(...events: readonly JobEvent[]): this {
    for (const event of events) this.add(jobStream(JOB_ID), event);
    return this;
  }

  phase(number: number, ...events: readonly PhaseEvent[]): this {
    for (const event of events) this.add(phaseStream(JOB_ID, number), event);
    return this;
  }

  private add(streamId: StreamId, event: JobEvent | PhaseEvent): void {
    const index = this.records.length;
    this.records.push({
      position: 101 + 2 * index,
      streamId,
      version: 1 + this.records.filter((record) => record.streamId === streamId).length,
      eventId: `019a8f00-0000-7000-8000-${String(index).padStart(12, '0')}`,
      type: event.type,
      schemaVersion: 1,
      data: event.data,
      metadata: { actor: { id: 'example', kind: 'process' } },
      recordedAt: new Date(START + index * 1_000).toISOString(),
      hash: HASH,
    });
  }
}

export function jobSubmitted(): JobEvent {
  return {
    type: 'JobSubmitted',
    data: {
      jobId: JOB_ID,
      actor: 'example',
      requestHash: HASH,
      agent: {
        name: 'creator',
        displayName: 'Creator',
        description: '',
        workflow: 'phase-alternation',
        instructions: 'instructions.md',
        models: { strategic: 'default', tactical: 'default' },
        tools: { workspace: [], strategic: [], tactical: [], domain: [] },
        deliverables: [],
        todos: { min: 5, max: 20 },
        limits: EXAMPLE_LIMITS,
        context: EXAMPLE_CONTEXT,
        approvals: { tools: [], expireAfterMs: 60_000 },
        budgets: {},
      },
      agentHash: HASH,
      workflow: {
        name: 'phase-alternation',
        version: 1,
        description: '',
        start: 'plan',
        states: { plan: EXAMPLE_STATE },
        caps: { phases: 60 },
      },
      workflowHash: HASH,
      tree: { 'documents/spec.md': { hash: HASH, size: 12, writtenAt: '2026-01-01T00:00:00.000Z' } },
      budgets: {},
      parameters: {},
      labels: {},
      priority: 0,
      tenant: 'default',
    },
  };
}

export function phaseStarted(
  phase: number,
  kind: 'strategic' | 'tactical',
  name: string,
  todos: readonly string[],
): PhaseEvent {
  return {
    type: 'PhaseStarted',
    data: {
      identity: {
        jobId: JOB_ID,
        phase,
        attempt: 1,
        state: 'plan',
        kind,
        name,
        agent: { name: 'creator', displayName: 'Creator', description: '' },
      },
      terms: {
        model: 'default',
        tools: [],
        limits: EXAMPLE_LIMITS,
        allowance: {},
        context: EXAMPLE_CONTEXT,
        approvals: { tools: [], expireAfterMs: 1_000 },
      },
      plan: {
        todos: todos.map((content, index) => ({ id: index + 1, content, status: 'open' })),
        limits: { min: 5, max: 20 },
        deliverables: [],
        archive: false,
      },
      workspace: { tree: {} },
      routes: { finish: { outcome: 'done', gates: [] } },
    },
  };
}

export function modelResponded(
  step: number,
  calls: readonly { callId: CallId; name: string }[],
  tokens = { input: 1_000, cached: 600, output: 50 },
): PhaseEvent {
  return {
    type: 'ModelResponded',
    data: {
      step,
      model: 'default',
      content: '',
      calls: calls.map((call) => ({ ...call, arguments: {} })),
      end: calls.length > 0 ? 'calls' : 'stop',
      usage: {
        inputTokens: tokens.input,
        cachedInputTokens: tokens.cached,
        outputTokens: tokens.output,
        estimated: false,
      },
      costMicroUsd: 1_200,
      durationMs: 40,
    },
  };
}

export function toolCallRequested(callId: CallId, name: string, args: Record<string, string | number>): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: { callId, step: 1, name, arguments: args, lane: 'remote', effect: 'pure', traits: [], timeoutMs: 1_000 },
  };
}

export function toolCallCompleted(callId: CallId): PhaseEvent {
  return { type: 'ToolCallCompleted', data: { callId, content: 'ok', attempts: 1, durationMs: 12 } };
}

export function todoCompleted(todoId: number): PhaseEvent {
  return { type: 'TodoCompleted', data: { todoId, callId: `todo-${todoId}` } };
}

/** A job that has planned, is in its second phase, and waits for a tool. */
export function runningJob(): ExampleLog {
  return new ExampleLog()
    .job(jobSubmitted())
    .phase(
      1,
      phaseStarted(1, 'strategic', 'Explore and plan', ['look', 'plan']),
      buildModelCallStarted(1),
      modelResponded(1, []),
      todoCompleted(1),
      todoCompleted(2),
    )
    .phase(1, { type: 'PhaseCompleted', data: { outcome: 'planned' } })
    .phase(
      2,
      phaseStarted(2, 'tactical', 'Extract', ['read', 'cut', 'cite', 'write']),
      buildModelCallStarted(1),
      modelResponded(1, [{ callId: 'c1', name: 'chunk_document' }]),
    )
    .phase(2, todoCompleted(1), toolCallRequested('c1', 'chunk_document', { path: 'documents/spec.md' }));
}

export function jobSummary(change: Partial<JobSummary> = {}): JobSummary {
  return {
    jobId: JOB_ID,
    agent: 'creator',
    status: 'running',
    createdAt: '2025-03-01T12:00:00.000Z',
    updatedAt: '2025-03-01T12:00:30.000Z',
    position: 120,
    usage: { inputTokens: 12_000, cachedInputTokens: 9_000, outputTokens: 800, costMicroUsd: 23_400, steps: 14 },
    phase: {
      number: 2,
      kind: 'tactical',
      state: 'execute',
      name: 'Extract',
      todosDone: 1,
      todosTotal: 4,
      currentTool: 'chunk_document',
    },
    ...change,
  };
}
