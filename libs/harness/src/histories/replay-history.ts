import {
  archivePath,
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  hasJobEnded,
  jobStream,
  phaseStream,
  type PhaseEvent,
  type PhaseEventData,
} from '@phaseline/domain';
import { ToolError, type ChatAnswer, type Sender, type JobId, type CallId } from '@phaseline/contracts';
import type { EventStore } from '@phaseline/event-store';
import { JobRepository, buildJobAppend } from '@phaseline/repository';
import { modelProfileSchema, type ChatModel } from '@phaseline/model';
import { JobDriver } from '@phaseline/orchestration';
import { PhaseRunner, ToolRunner } from '@phaseline/execution';
import { createCachePack, createGraphPack, documentsPack, type GraphHost } from '@phaseline/remote-packs';
import { memoryPack, todosPack, workspacePack } from '@phaseline/inline-packs';
import { ToolRegistry, type PackHost, type RemoteTool, type ToolPack } from '@phaseline/tools';
import { readHistory, type JobHistory } from './history.js';

/** Host of a pack whose tools return recorded results, and therefore need none. */
const NO_HOST: PackHost = {
  database: { query: () => Promise.reject(new Error('a replay executes no remote tool')) },
  getTenant: () => Promise.reject(new Error('a replay executes no remote tool')),
};

/** Host of the graph pack in a replay, whose tools return recorded results too. */
export const NO_GRAPH: GraphHost = { openGraph: () => Promise.reject(new Error('a replay executes no remote tool')) };

interface Message {
  readonly queue: string;
  readonly payload: {
    readonly jobId: JobId;
    readonly phase: number;
    readonly callId?: CallId;
    readonly epoch: number;
  };
}

/**
 * Replays a recorded job with the current code on an empty log: model answers and results of `remote` tools come from the recording,
 * everything else is decided again. For jobs without requests by people. Returns the resulting history.
 */
export async function replayHistory(history: JobHistory, store: EventStore): Promise<JobHistory> {
  const [first] = history.events;
  const submitted = first && decodeJobEvent(first);
  if (submitted?.type !== 'JobSubmitted') throw new Error('the history does not begin with JobSubmitted');
  const { jobId, tree } = submitted.data;
  for (const { hash } of Object.values(tree)) await store.blobs.put(readBlob(history, hash));
  await store.append(buildJobAppend(jobId, 0, [submitted], { actor: { id: 'replay', kind: 'process' } }));

  const messages: Message[] = [];
  const recording = new Recording(history, jobId);
  const sender: Sender = { send: async (queue, payload) => void messages.push({ queue, payload } as Message) };
  const parts = {
    processId: 'replay',
    repository: new JobRepository(store),
    blobs: store.blobs,
    store,
    sender,
    leases: { isLeaseHeld: async () => false, isCallHeld: async () => false },
    heldLeases: { addLease: () => undefined, removeLease: () => undefined },
    clock: { now: () => recording.now() },
    tools: new ToolRegistry([
      workspacePack,
      memoryPack,
      todosPack,
      ...[documentsPack, createCachePack(NO_HOST), createGraphPack(NO_GRAPH)].map((pack) => recording.answering(pack)),
    ]),
  };
  const prices = { inputUsdPerMillion: 0, cachedInputUsdPerMillion: 0, outputUsdPerMillion: 0 };
  const profile = modelProfileSchema.parse({ name: 'default', model: 'recorded', contextTokens: 1_000_000, prices });
  const model: ChatModel = { complete: async () => recording.nextAnswer() };
  const models = { find: () => ({ profile, model, contextTokens: 1_000_000 }) };
  const phases = new PhaseRunner({ ...parts, models });
  const calls = new ToolRunner({ ...parts, limits: { attempts: 1, backoffMs: 1 } });
  const driver = new JobDriver(parts);
  const { signal } = new AbortController();
  await driver.advance(jobId);
  for (let message = messages.shift(); message; message = messages.shift()) {
    const { queue, payload } = message;
    if (queue === 'timers') continue;
    recording.phase = payload.phase;
    if (queue === 'tools') await calls.run({ ...payload, callId: payload.callId! }, signal);
    else await phases.run(payload, signal);
    await driver.advance(jobId);
  }
  const job = foldJob((await store.read(jobStream(jobId))).map(decodeJobEvent));
  if (!job || !hasJobEnded(job)) throw new Error('the replay stopped before the job had ended');
  return readHistory(store, jobId);
}

/** Provides the recorded answers and results during a replay. */
class Recording {
  phase = 0;
  private readonly answered = new Map<number, number>();

  constructor(
    private readonly history: JobHistory,
    private readonly jobId: JobId,
  ) {}

  /** The archive of a phase contains the time at which the phase ended, so the clock shows that time during the phase. */
  now(): Date {
    const path = archivePath(this.phase);
    const archived = this.eventsOf(this.phase).find(
      (event) => event.type === 'FileWritten' && event.data.path === path,
    );
    if (archived?.type === 'FileWritten') {
      const [, at] = /^Archived: (\S+)$/m.exec(readBlob(this.history, archived.data.hash).toString('utf8')) ?? [];
      if (at) return new Date(at);
    }
    return new Date(this.history.events[0]!.recordedAt);
  }

  nextAnswer(): ChatAnswer {
    const step = (this.answered.get(this.phase) ?? 0) + 1;
    this.answered.set(this.phase, step);
    const answer = this.eventsOf(this.phase).find(
      (event) => event.type === 'ModelResponded' && event.data.step === step,
    );
    if (answer?.type !== 'ModelResponded') throw new Error(`answer ${step} of phase ${this.phase} is not recorded`);
    return toChatAnswer(answer.data);
  }

  /** Returns the pack with remote tools that return their recorded results. */
  answering(pack: ToolPack): ToolPack {
    return {
      name: pack.name,
      tools: pack.tools.map((tool) => (tool.lane === 'remote' ? { ...tool, run: this.recordedRun } : tool)),
    };
  }

  private readonly recordedRun: RemoteTool['run'] = async ({ callId }) => {
    const facts = this.eventsOf(this.phase).filter((event) => 'callId' in event.data && event.data.callId === callId);
    for (const fact of facts)
      if (fact.type === 'ToolCallFailed')
        throw new ToolError(fact.data.code, fact.data.message, { result: fact.data.result });
    const end = facts.find((fact) => fact.type === 'ToolCallCompleted');
    if (end?.type !== 'ToolCallCompleted') throw new Error(`the end of the call ${callId} is not recorded`);
    // Files after the end were written when the result was cleared, which is decided again.
    const files = facts
      .slice(0, facts.indexOf(end))
      .flatMap((fact) =>
        fact.type === 'FileWritten' ? [{ path: fact.data.path, content: readBlob(this.history, fact.data.hash) }] : [],
      );
    return { content: end.data.content, files, result: end.data.result };
  };

  private eventsOf(phase: number): readonly PhaseEvent[] {
    const stream = phaseStream(this.jobId, phase);
    return this.history.events.filter(({ streamId }) => streamId === stream).map(decodePhaseEvent);
  }
}

function toChatAnswer(data: PhaseEventData<'ModelResponded'>): ChatAnswer {
  const { content, reasoning, calls, end, usage } = data;
  return {
    content,
    ...(reasoning === undefined ? {} : { reasoning }),
    calls: calls.map(({ callId, name, arguments: value, malformed = '' }) => ({
      id: callId,
      name,
      arguments: value ? { kind: 'parsed', value } : { kind: 'malformed', text: malformed },
    })),
    end,
    usage,
  } as ChatAnswer;
}

function readBlob({ blobs }: JobHistory, hash: string): Buffer {
  const content = blobs.get(hash);
  if (!content) throw new Error(`the history has no blob ${hash}`);
  return content;
}
