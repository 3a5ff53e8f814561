import { randomUUID } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import {
  agentDefinitionSchema,
  createTodos,
  pickAgentSettings,
  workflowSchema,
  type JobEvent,
  type PhaseEvent,
} from '@phaseline/domain';
import { buildJobSubmitted, buildModelCallStarted } from '@phaseline/domain/testing';
import type { EventStore } from '@phaseline/event-store';
import { buildJobAppend, buildPhaseAppend } from '@phaseline/repository';

export interface LongJobOptions {
  readonly phases: number;
  /** Approximate events per phase; the stream of the job gets two more per phase. */
  readonly eventsPerPhase: number;
  /** Whether the last phase and the job end. */
  readonly ends?: boolean;
}

const HASH = 'a'.repeat(64);
const TREE = { 'instructions.md': { hash: HASH, size: 400, writtenAt: '2026-01-01T00:00:00.000Z' } };
const PROSE = 'The service keeps every record for ten years and tells who has read it. ';
const ORIGIN = { actor: { id: 'bench', kind: 'process' } } as const;
/** Steps per append. In a real job each step is a separate commit, which would only slow down the generation. */
const STEPS_PER_APPEND = 100;

const agent = agentDefinitionSchema.parse({
  name: 'bench',
  displayName: 'Bench',
  tools: { workspace: ['read_file', 'write_file'], domain: ['fetch'] },
  limits: { steps: 100_000 },
});
const workflow = workflowSchema.parse({
  name: 'long',
  version: 1,
  start: 'work',
  states: {
    work: { kind: 'tactical', title: 'Work', todos: ['Work'], finish: 'done', outcomes: { done: { to: 'work' } } },
  },
});

/** Appends the events of one long job: steps with file and remote tools, and completed todos. */
export async function appendLongJob(
  store: EventStore,
  { phases, eventsPerPhase, ends = true }: LongJobOptions,
): Promise<string> {
  const jobId = randomUUID();
  let version = 0;
  const appendToJob = async (...events: JobEvent[]): Promise<void> => {
    await store.append(buildJobAppend(jobId, version, events, ORIGIN));
    version += events.length;
  };
  await appendToJob(buildJobSubmitted({ jobId, agent, workflow, tree: TREE }));
  for (let phase = 1; phase <= phases; phase += 1) {
    const todos = createTodos(Array.from({ length: 20 }, (_, index) => `Do thing ${index + 1} of phase ${phase}`));
    const about = { phase, attempt: 1, state: 'work', kind: 'tactical', name: `Work ${phase}` } as const;
    await appendToJob({ type: 'PhaseDispatched', data: { ...about, todos: [...todos], allowance: {} } });
    const started: PhaseEvent = {
      type: 'PhaseStarted',
      data: {
        identity: { ...about, jobId, agent: { name: 'bench', displayName: 'Bench', description: '' } },
        terms: {
          model: 'default',
          tools: ['read_file', 'write_file', 'fetch'],
          ...pickAgentSettings(agent),
          allowance: {},
        },
        plan: { todos: [...todos], limits: agent.todos, deliverables: [], archive: false },
        workspace: { tree: TREE },
        routes: { finish: { outcome: 'done', gates: [] } },
      },
    };
    const staysOpen = phase === phases && !ends;
    const steps = await fillPhase(store, jobId, phase, started, eventsPerPhase, staysOpen);
    const cost = {
      steps,
      inputTokens: 1_000 * steps,
      cachedInputTokens: 0,
      outputTokens: 50 * steps,
      costMicroUsd: 70 * steps,
    };
    if (!staysOpen)
      await appendToJob({
        type: 'PhaseEnded',
        data: { phase, result: { kind: 'completed', outcome: 'done' }, spending: cost },
      });
  }
  if (ends)
    await appendToJob({ type: 'JobCompleted', data: { summary: 'done', deliverables: [], confidence: 1, notes: '' } });
  return jobId;
}

async function fillPhase(
  store: EventStore,
  jobId: JobId,
  phase: number,
  started: PhaseEvent,
  eventCount: number,
  isOpen: boolean,
): Promise<number> {
  let version = 0;
  const append = async (events: readonly PhaseEvent[]): Promise<void> => {
    await store.append(buildPhaseAppend(jobId, phase, version, events, { origin: ORIGIN }));
    version += events.length;
  };
  await append([started, buildModelCallStarted(1)]);
  let step = 0;
  while (version < eventCount - 1) {
    const events: PhaseEvent[] = [];
    for (let count = 0; count < STEPS_PER_APPEND && version + events.length < eventCount - 1; count += 1) {
      step += 1;
      events.push(...stepEvents(phase, step));
    }
    await append(events);
  }
  if (!isOpen) await append([{ type: 'PhaseCompleted', data: { outcome: 'done' } }]);
  return step;
}

/** Generates one step: the answer, its tool call with the changes, and the next model call; about 600 bytes per event, as in real jobs. */
function* stepEvents(phase: number, step: number): Generator<PhaseEvent> {
  const callId = `call_${phase}_${step}_1`;
  const isRemoteTool = step % 5 === 0;
  const name = isRemoteTool ? 'fetch' : step % 3 === 0 ? 'write_file' : 'read_file';
  const path = `output/part-${step % 50}.md`;
  const args = { path, note: PROSE.repeat(2) };
  yield {
    type: 'ModelResponded',
    data: {
      step,
      model: 'default',
      content: PROSE.repeat(3),
      calls: [{ callId, name, arguments: args }],
      end: 'calls',
      usage: { inputTokens: 1_000, cachedInputTokens: 0, outputTokens: 50, estimated: false },
      costMicroUsd: 70,
      durationMs: 900,
    },
  };
  yield {
    type: 'ToolCallRequested',
    data: {
      callId,
      step,
      name,
      arguments: args,
      lane: isRemoteTool ? 'remote' : 'inline',
      effect: 'pure',
      traits: [],
      timeoutMs: 1_000,
    },
  };
  if (name === 'write_file')
    yield {
      type: 'FileWritten',
      data: { path, hash: HASH, size: 1_000 + step, writtenAt: '2026-01-01T00:00:00.000Z', callId },
    };
  yield { type: 'ToolCallCompleted', data: { callId, content: PROSE.repeat(8), attempts: 1, durationMs: 20 } };
  if (step % 200 === 0) yield { type: 'TodoCompleted', data: { todoId: Math.min(20, step / 200), callId } };
  yield buildModelCallStarted(step + 1);
}
