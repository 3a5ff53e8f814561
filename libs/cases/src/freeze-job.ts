import { isDeepStrictEqual } from 'node:util';
import { listDeclaredSecrets, type JobId } from '@phaseline/contracts';
import {
  decodeJobEvent,
  decodePhaseEvent,
  INSTRUCTIONS_FILE,
  isEncryptedJob,
  jobStream,
  parseStreamName,
  readTask,
  type PhaseEvent,
} from '@phaseline/domain';
import { MemoryLog } from '@phaseline/memory-log';
import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { toText } from '@phaseline/workspace';
import { dump } from 'js-yaml';
import {
  caseSchema,
  type CaseDefinition,
  type Expectations,
  type ScriptedAnswer,
  type ScriptedResult,
} from './case-schema.js';
import { readJobFacts, type JobFacts } from './job-facts.js';
import { CASE_FILE } from './load-cases.js';

/** Size in bytes of all documents, and of all files that tools wrote, that a case may contain. */
const MAX_FILE_BYTES = 64 * 1024;

const ANSWERS_FILE = 'answers.json';
const DOCUMENTS = 'documents/';

/** What people or the system add to a job from outside. A case has no way to repeat it. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set([
  ...['ApprovalGranted', 'ApprovalRefused', 'QuestionAnswered', 'ToolCallAmended', 'ChildJobEnded', 'GuardOverridden'],
  ...['JobSteered', 'JobPaused', 'JobRetried', 'JobCancelRequested', 'WorkspaceEdited', 'JobDefinitionChanged'],
]);

/** A job cannot become a case. The message says why. */
export class NotFreezable extends Error {
  override readonly name = 'NotFreezable';
}

export interface FrozenJob {
  /** Files of the case by path. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** Number of answers of the model. */
  readonly answers: number;
}

/**
 * Makes a case of a job: what it started with, and everything that its model and its remote tools answered up to a position in the log. Throws
 * NotFreezable.
 */
export async function freezeJob(
  log: Pick<EventLog, 'readCorrelation' | 'blobs'>,
  jobId: JobId,
  position: number,
  { name, expect }: { readonly name: string; readonly expect?: Expectations | undefined },
): Promise<FrozenJob> {
  if (isEncryptedJob(jobId)) throw new NotFreezable('the job is encrypted, and its content must not leave it');
  const events = await log.readCorrelation(jobId, { to: position });
  const submitted = readSubmission(events, jobId);
  const outside = events.find(({ type }) => FROM_OUTSIDE.has(type));
  if (outside)
    throw new NotFreezable(
      `at position ${outside.position} something reached the job from outside (${outside.type}), which a case cannot repeat; take a position before it`,
    );
  const secrets = listDeclaredSecrets(submitted.agent.settings ?? {});
  if (secrets.length > 0) throw new NotFreezable(`its agent uses secrets: ${secrets.join(', ')}`);
  if (submitted.repository) throw new NotFreezable('it works on a repository, which is larger than a case');
  const documents = await readDocuments(submitted.tree, log);
  const answers = events.flatMap(readAnswer);
  if (answers.length === 0) throw new NotFreezable('its model had not answered before this position');
  const tools = await readResults(events, log);
  const task = await readTaskOf(submitted.tree, log);
  const { agent, agentHash, parameters, budgets } = submitted;
  const definition: CaseDefinition = caseSchema.parse({
    name,
    agent: agent.name,
    ...(task === undefined ? {} : { task }),
    ...(documents.length === 0
      ? {}
      : { documents: documents.map(([file]) => ({ name: file.slice(DOCUMENTS.length), file })) }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(Object.keys(budgets).length === 0 ? {} : { budgets }),
    model: { recorded: ANSWERS_FILE },
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    expect: expect ?? describeFacts(await foldFacts(events, jobId)),
    recordedFrom: { job: jobId, position, agentHash },
  });
  return {
    files: {
      [CASE_FILE]: Buffer.from(dump(definition, { lineWidth: 120 })),
      [ANSWERS_FILE]: Buffer.from(`[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`),
      ...Object.fromEntries(documents),
    },
    answers: answers.length,
  };
}

function readSubmission(events: readonly RecordedEvent[], jobId: JobId) {
  const first = events.find(({ streamId }) => streamId === jobStream(jobId));
  if (!first) throw new NotFreezable('it did not exist at this position');
  const event = decodeJobEvent(first);
  if (event.type !== 'JobSubmitted') throw new NotFreezable('it is a fork; take its parent');
  return event.data;
}

type Tree = ReturnType<typeof readSubmission>['tree'];

async function readTaskOf(tree: Tree, { blobs }: Pick<EventLog, 'blobs'>): Promise<string | undefined> {
  return readTask(new TextDecoder().decode(await blobs.get(tree[INSTRUCTIONS_FILE]?.hash ?? '')));
}

async function readDocuments(
  tree: Tree,
  { blobs }: Pick<EventLog, 'blobs'>,
): Promise<readonly [path: string, content: Uint8Array][]> {
  const paths = Object.keys(tree).filter((path) => path.startsWith(DOCUMENTS));
  const size = paths.reduce((sum, path) => sum + tree[path]!.size, 0);
  if (size > MAX_FILE_BYTES)
    throw new NotFreezable(`its documents have ${size} bytes, and a case holds at most ${MAX_FILE_BYTES}`);
  return Promise.all(
    paths.map(async (path): Promise<[string, Uint8Array]> => {
      const content = await blobs.get(tree[path]!.hash);
      if (!content) throw new NotFreezable(`retention removed ${path}`);
      return [path, content];
    }),
  );
}

/** Reads an answer of the model; none of an event that is no answer. */
function readAnswer(recorded: RecordedEvent): readonly ScriptedAnswer[] {
  const event = decodePhase(recorded);
  switch (event?.type) {
    case 'ModelResponded': {
      const { content, calls, end, usage } = event.data;
      const malformed = calls.find(({ malformed: sent }) => sent !== undefined);
      if (malformed)
        throw new NotFreezable(
          `at position ${recorded.position} the model sent arguments of ${malformed.name} that are not JSON`,
        );
      return [
        {
          ...(content === '' && calls.length > 0 ? {} : { text: content }),
          ...(calls.length === 0 ? {} : { calls: calls.map(({ name, arguments: args = {} }) => ({ [name]: args })) }),
          ...(end === 'truncated' ? { truncated: true as const } : {}),
          usage: toUsage(usage),
        },
      ];
    }
    case 'ConversationSummarised':
      return [{ text: event.data.summary, usage: toUsage(event.data.usage) }];
    case 'ReflectionRecorded':
      return [{ text: event.data.text, usage: toUsage(event.data.usage) }];
    case 'JudgeEnded':
      throw new NotFreezable(
        `at position ${recorded.position} a judge was asked, whose answer is not recorded word for word`,
      );
    default:
      return [];
  }
}

function toUsage({ inputTokens, outputTokens }: { readonly inputTokens: number; readonly outputTokens: number }) {
  return { input: inputTokens, output: outputTokens };
}

/** Reads the results of remote calls by tool, in the order in which the calls were requested. */
async function readResults(
  events: readonly RecordedEvent[],
  { blobs }: Pick<EventLog, 'blobs'>,
): Promise<Readonly<Record<string, readonly ScriptedResult[]>>> {
  const calls = new Map<string, { readonly tool: string; result?: ScriptedResult; files: Record<string, string> }>();
  let size = 0;
  for (const recorded of events) {
    const event = decodePhase(recorded);
    if (event?.type === 'ToolCallRequested' && event.data.lane === 'remote')
      calls.set(`${recorded.streamId} ${event.data.callId}`, { tool: event.data.name, files: {} });
    const callId = event && 'callId' in event.data ? event.data.callId : undefined;
    const call = calls.get(`${recorded.streamId} ${callId}`);
    if (!event || !call) continue;
    if (event.type === 'FileDeleted')
      throw new NotFreezable(`${call.tool} deleted a file, which no result of a case can do`);
    if (event.type === 'FileWritten') {
      size += event.data.size;
      const bytes = size > MAX_FILE_BYTES ? undefined : await blobs.get(event.data.hash);
      const text = bytes && toText(bytes, MAX_FILE_BYTES);
      if (text === undefined)
        throw new NotFreezable(
          `${call.tool} wrote ${event.data.path}, and a case holds at most ${MAX_FILE_BYTES} bytes of text`,
        );
      call.files[event.data.path] = text;
    }
    if (event.type === 'ToolCallCompleted')
      call.result = { content: event.data.content, ...(event.data.result ? { result: event.data.result } : {}) };
    if (event.type === 'ToolCallFailed')
      call.result = { failed: { code: event.data.code, message: event.data.message } };
  }
  const results: Record<string, ScriptedResult[]> = {};
  for (const { tool, result, files } of calls.values())
    if (result) (results[tool] ??= []).push({ ...result, ...(Object.keys(files).length > 0 ? { files } : {}) });
  return results;
}

/** The state of the job at the position, folded from its events alone. */
async function foldFacts(events: readonly RecordedEvent[], jobId: JobId): Promise<JobFacts> {
  const log = new MemoryLog(() => Date.now());
  for (const { streamId, correlationId, eventId, type, schemaVersion, data, metadata } of events)
    log.commit({
      streamId,
      correlationId,
      expectedVersion: 'any',
      reopensStream: true,
      events: [{ eventId, type, schemaVersion, data, metadata }],
    });
  return readJobFacts({ jobId, log, repository: new JobRepository(log) });
}

/** What a case expects by default: that the job becomes what it was at the position. */
function describeFacts({ outcome, failure, phases, calls, job }: JobFacts): Expectations {
  const list = phases.flatMap(({ todos }) => todos.list);
  const done = list.filter(({ status }) => status === 'done').length;
  const tree = phases.at(-1)?.tree ?? {};
  const paths = job.definition.agent.deliverables.map((file) => (typeof file === 'string' ? file : file.path));
  const checks = paths.filter((path) => Object.hasOwn(tree, path)).map((path) => ({ file: { path, minBytes: 1 } }));
  const denied = calls
    .filter((call) => call.outcome === 'denied')
    .map(({ tool, code }) => ({ tool, outcome: 'denied' as const, ...(code === undefined ? {} : { code }) }));
  const distinct = denied.filter((one, at) => denied.findIndex((other) => isDeepStrictEqual(one, other)) === at);
  return {
    job: failure ? { ended: outcome, code: failure.code } : outcome,
    ...(checks.length > 0 ? { checks } : {}),
    ...(distinct.length > 0
      ? {
          calls: distinct.map((one) => ({
            ...one,
            times: denied.filter((other) => isDeepStrictEqual(one, other)).length,
          })),
        }
      : {}),
    todos: { done },
  };
}

function decodePhase(recorded: RecordedEvent): PhaseEvent | undefined {
  return parseStreamName(recorded.streamId)?.kind === 'phase' ? decodePhaseEvent(recorded) : undefined;
}
