import { randomUUID } from 'node:crypto';
import {
  agentDefinitionSchema,
  foldJob,
  jobStream,
  phaseStream,
  workflowSchema,
  decideJob,
  type JobEvent,
  type NextPhase,
  type PhaseEvent,
} from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';

/** Creates the submission of a job whose first phase has `todos` predefined todos and whose second state ends it. */
export function buildJobSubmitted(
  jobId: string,
  changes: { labels?: Record<string, string>; agent?: string; todos?: number } = {},
): Extract<JobEvent, { type: 'JobSubmitted' }> {
  const workflow = workflowSchema.parse({
    name: 'short',
    version: 1,
    start: 'plan',
    states: {
      plan: {
        kind: 'strategic',
        title: 'Plan',
        todos: Array.from({ length: changes.todos ?? 2 }, (_, index) => `step ${index + 1}`),
        finish: 'planned',
        completion: 'completed',
        outcomes: { planned: { to: 'review' }, completed: { end: 'completed' } },
      },
      review: {
        kind: 'strategic',
        title: 'Review',
        todos: ['look'],
        finish: 'done',
        outcomes: { done: { end: 'completed' } },
      },
    },
  });
  const agent = agentDefinitionSchema.parse({ name: changes.agent ?? 'tester', displayName: 'Tester', tools: {} });
  const hash = '0'.repeat(64);
  return {
    type: 'JobSubmitted',
    data: {
      jobId,
      actor: 'spec',
      requestHash: hash,
      agent,
      agentHash: hash,
      workflow,
      workflowHash: hash,
      tree: {},
      budgets: {},
      parameters: {},
      labels: changes.labels ?? {},
      priority: 0,
      tenant: 'default',
    },
  };
}

/** Returns the first phase of a job as the decider dispatches it. */
export function decideFirstPhase(submitted: JobEvent): NextPhase {
  return decideJob(foldJob([submitted])!, undefined, new Date(0)).next!;
}

export function buildModelResponded(step: number, calls: readonly string[] = []): PhaseEvent {
  return {
    type: 'ModelResponded',
    data: {
      step,
      model: 'default',
      content: '',
      calls: calls.map((callId) => ({ callId, name: `tool-${callId}`, arguments: {} })),
      end: calls.length > 0 ? 'calls' : 'stop',
      usage: { inputTokens: 100, cachedInputTokens: 40, outputTokens: 7, estimated: false },
      costMicroUsd: 11,
      durationMs: 1,
    },
  };
}

export function buildToolCallRequested(callId: string, name = `tool-${callId}`): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: { callId, step: 1, name, arguments: {}, lane: 'remote', effect: 'pure', traits: [], timeoutMs: 1_000 },
  };
}

export function buildToolCallCompleted(callId: string): PhaseEvent {
  return { type: 'ToolCallCompleted', data: { callId, content: '', attempts: 1, durationMs: 1 } };
}

export function buildTodoCompleted(todoId: number): PhaseEvent {
  return { type: 'TodoCompleted', data: { todoId, callId: `todo-${todoId}` } };
}

/** A log in memory that assigns versions and positions as the store would. */
export class SpecLog {
  readonly events: RecordedEvent[] = [];
  private readonly versions = new Map<string, number>();

  constructor(private readonly jobId: string) {}

  job(...events: readonly JobEvent[]): this {
    return this.write(jobStream(this.jobId), events);
  }

  phase(phase: number, ...events: readonly PhaseEvent[]): this {
    return this.write(phaseStream(this.jobId, phase), events);
  }

  private write(streamId: string, events: readonly (JobEvent | PhaseEvent)[]): this {
    for (const { type, data } of events) {
      const version = (this.versions.get(streamId) ?? 0) + 1;
      this.versions.set(streamId, version);
      const position = this.events.length * 3 + 5;
      this.events.push({
        position,
        streamId,
        version,
        eventId: randomUUID(),
        type,
        schemaVersion: 1,
        data: data as never,
        metadata: {},
        recordedAt: `2030-01-01T00:00:00.${String(position).padStart(6, '0')}Z`,
        correlationId: this.jobId,
        transactionId: '1',
        hash: '',
      });
    }
    return this;
  }
}
