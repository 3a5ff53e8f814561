import {
  archivePath,
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  hasJobEnded,
  jobStream,
  parseStreamName,
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
    leases: { isLeaseHeld: async () => false },
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

/**
 * Members with texts and measurements, which may differ between two runs or releases although the decisions are the same. `requestHash` covers the
 * texts of tools and instructions, which belong to the release.
 */
const NOT_DECIDED: ReadonlySet<string> = new Set([
  'content',
  'message',
  'requestHash',
  'request',
  'prices',
  'inputTokens',
  'layers',
  'promptBuilder',
  'reservedTokens',
  'reservedMicroUsd',
  'costMicroUsd',
  'durationMs',
  'leaseOwner',
  'deadlineAt',
  'writtenAt',
  'dueAt',
  'model',
]);

/** Files with times, tokens or prices in them: archives, the memory with its summary, and the completion file. */
const FILE_WITH_TIMES = /^(?:archive\/|workspace\.md$|output\/completion\.json$)/;
const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z|\d+\.\d s|[\d.]+ USD|\d+ input tokens|"(?:inputTokens|costMicroUsd)": \d+/g;

/** Names of the contents of files with times, in all their versions. */
export function listTimedFiles({ events }: Pick<JobHistory, 'events'>): ReadonlySet<string> {
  const written = events.flatMap((event) => {
    const file = event.type === 'JobCompleted' ? event.data['file'] : event.data;
    return ['FileWritten', 'JobCompleted'].includes(event.type) && file ? [file as { path: string; hash: string }] : [];
  });
  return new Set(written.flatMap(({ path, hash }) => (FILE_WITH_TIMES.test(path) ? [hash] : [])));
}

/**
 * Returns the decisions per stream: type and data of every event, without the members that may differ. A file with times is
 * represented by its text without them.
 */
export function extractDecisions(history: JobHistory): Readonly<Record<string, readonly unknown[]>> {
  const { events } = history;
  const timed = listTimedFiles(history);
  const streams: Record<string, unknown[]> = {};
  for (const event of events) {
    const isJob = parseStreamName(event.streamId)?.kind === 'job';
    const { type, data } = isJob ? decodeJobEvent(event) : decodePhaseEvent(event);
    // When old results are cleared may change from release to release; what the agent does may not.
    if (type === 'ToolResultsCleared' || type === 'ReasoningCleared') continue;
    const nameTimed = (hash: string): string =>
      // The list of files is in the order of their times.
      timed.has(hash)
        ? readBlob(history, hash).toString('utf8').replaceAll(TIMES, 'T').split('\n').sort().join('\n')
        : hash;
    (streams[event.streamId] ??= []).push({ type, data: withoutVariableMembers(data, nameTimed) });
  }
  return streams;
}

function withoutVariableMembers(value: unknown, nameContent: (hash: string) => string): unknown {
  if (Array.isArray(value)) return value.map((member) => withoutVariableMembers(member, nameContent));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !NOT_DECIDED.has(key));
  const named = entries.map(([key, member]) => [
    key,
    key === 'hash' && typeof member === 'string' ? nameContent(member) : withoutVariableMembers(member, nameContent),
  ]);
  const isTimed = 'hash' in value && typeof value.hash === 'string' && nameContent(value.hash) !== value.hash;
  return Object.fromEntries(isTimed ? named.filter(([key]) => key !== 'size') : named);
}
