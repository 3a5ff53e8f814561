import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { budgetsSchema, EXPERIENCES_FILE, type Budgets, type JobEvent, type JsonObject } from '@phaseline/domain';
import { StreamClosed, WrongExpectedVersion, type BlobWrite, type EventLog } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { jobAppend, newJobId, type EventOrigin, type Histories } from '@phaseline/history';
import { hashAhead, InvalidPath, nameOf, StagedWorkspace, type FileChange, type FileEntry } from '@phaseline/workspace';
import type { AgentSource, ExperienceSource, ResolvedAgent } from './ports.js';
import { missingInputs } from './required-inputs.js';
import { DocumentRefused, IdempotencyConflict, InputsMissing } from './submit-errors.js';

export interface JobDocument {
  /** File name or relative path; it is kept below `documents/`. */
  readonly name: string;
  /** The bytes, or where a stream of them was put in the blob store. */
  readonly content: Uint8Array | FileEntry;
}

export interface JobRequest {
  readonly agent: string;
  /** Added to the agent's own instructions. */
  readonly instructions?: string | undefined;
  readonly documents?: readonly JobDocument[] | undefined;
  readonly budgets?: Budgets | undefined;
  readonly parameters?: JsonObject | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly priority?: number | undefined;
  /** Whose job it is; `default` where nobody says. */
  readonly tenant?: string | undefined;
  /** The same key of the same tenant and actor, with the same request, gives the same job, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** Opaque id of the actor that asks; part of the idempotency key. `local` where it is missing. */
  readonly actorId?: string | undefined;
  /** Store everything that the job holds encrypted, under a key that can be erased. Its idempotency keys are its own. */
  readonly encrypt?: boolean | undefined;
  /** For whoever stored documents of the job before: an id of `newJobId`. */
  readonly jobId?: string | undefined;
}

export interface Submission {
  readonly jobId: string;
  /** False when the job was there already. */
  readonly created: boolean;
}

/** What it takes to take a job in. */
export interface SubmissionParts {
  readonly store: EventLog;
  readonly histories: Histories;
  readonly agents: AgentSource;
  /** Where it is missing, every job begins without experiences. */
  readonly experiences?: ExperienceSource;
}

/** Documents above this are refused when they come as bytes in memory; streams into the blob store have a bound of their own. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/**
 * Records a job. Its definitions, instructions and documents become part of the log in the same commit, so nothing that
 * changes later can change what the job runs by. Throws InputsMissing, IdempotencyConflict and DocumentRefused; for a sealed job also
 * MasterKeyMissing, and ContentErased where the key names a job that was erased.
 */
export async function submitJob(parts: SubmissionParts, request: JobRequest, origin: EventOrigin): Promise<Submission> {
  const agent = await parts.agents.resolve(request.agent);
  const missing = missingInputs(agent.definition.requires ?? {}, request);
  if (missing.length > 0) throw new InputsMissing(request.agent, missing);
  // An honest document of 32 MiB takes a while, and others are waiting for this process.
  for (const { content } of request.documents ?? [])
    if (content instanceof Uint8Array) await hashAhead(content, () => nextTurn());
  const requestHash = hashRequest(request);
  const tenant = request.tenant ?? 'default';
  const { actorId, idempotencyKey: key } = request;
  const jobId = request.jobId ?? newJobId({ sealed: request.encrypt === true, tenant, actorId, key });
  // Given as a file of the job's own, so that nothing but its own log says what it began with.
  // Only where the agent asks for it: nobody has judged what an earlier job noted.
  const given = agent.definition.carryExperiences === true;
  const experiences = given ? await parts.experiences?.fileFor(tenant, agent.definition.name) : undefined;
  const { tree, blobs } = initialFiles(request, agent, experiences);
  const submitted: JobEvent = {
    type: 'JobSubmitted',
    data: {
      jobId,
      actor: origin.actor,
      requestHash,
      agent: agent.definition,
      agentHash: agent.hash,
      workflow: agent.workflow,
      workflowHash: agent.workflowHash,
      tree,
      budgets: tighter(agent.definition.budgets, budgetsSchema.parse(request.budgets ?? {})),
      parameters: request.parameters ?? {},
      labels: { ...request.labels },
      priority: request.priority ?? 0,
      tenant,
    },
  };
  try {
    faultPoint('submission.before-append', jobId);
    await parts.store.append(jobAppend(jobId, 0, [submitted], origin), { blobs });
    faultPoint('submission.after-append', jobId);
    return { jobId, created: true };
  } catch (error) {
    // A job that has ended takes no more events at all, whatever version is expected.
    if (!(error instanceof WrongExpectedVersion || error instanceof StreamClosed)) throw error;
    const existing = await parts.histories.job(jobId);
    if (existing?.submitted.requestHash !== requestHash) throw new IdempotencyConflict(jobId);
    return { jobId, created: false };
  }
}

function initialFiles(
  request: JobRequest,
  { instructions, files = [] }: Pick<ResolvedAgent, 'instructions' | 'files'>,
  experiences: string | undefined,
): { tree: Record<string, { hash: string; size: number }>; blobs: BlobWrite[] } {
  const encoder = new TextEncoder();
  const task = request.instructions?.trim()
    ? `${instructions.trimEnd()}\n\n## This job\n\n${request.instructions.trim()}\n`
    : instructions;
  const changes: FileChange[] = [{ path: 'instructions.md', content: encoder.encode(task.toWellFormed()) }, ...files];
  if (experiences !== undefined) changes.push({ path: EXPERIENCES_FILE, content: encoder.encode(experiences) });
  if (request.parameters && Object.keys(request.parameters).length > 0) {
    changes.push({
      path: 'parameters.json',
      content: encoder.encode(`${JSON.stringify(request.parameters, null, 2)}\n`),
    });
  }
  const names = new Set<string>();
  for (const { name, content } of request.documents ?? []) {
    const size = content instanceof Uint8Array ? content.byteLength : content.size;
    if (size === 0) throw new DocumentRefused(`the document ${name} is empty; give a file with content`);
    if (content instanceof Uint8Array && size > MAX_DOCUMENT_BYTES) {
      throw new DocumentRefused(
        `the document ${name} has ${size} bytes; at most ${MAX_DOCUMENT_BYTES} (${MAX_DOCUMENT_BYTES / 1024 / 1024} MiB) are taken. Split it`,
      );
    }
    if (names.has(name)) throw new DocumentRefused(`two documents are named ${name}; give each its own name`);
    names.add(name);
    const path = `documents/${name}`;
    changes.push(content instanceof Uint8Array ? { path, content } : { path, stored: content });
  }
  const staged = new StagedWorkspace({}, { get: async () => undefined });
  try {
    const { blobs } = staged.stage(changes);
    return { tree: { ...staged.tree }, blobs: [...blobs] };
  } catch (error) {
    if (error instanceof InvalidPath) throw new DocumentRefused(error.message, { cause: error });
    throw error;
  }
}

/** Neither the agent's author nor the submitter can lift the other's bound. */
function tighter(left: Budgets, right: Budgets): Budgets {
  const result: Record<string, number> = {};
  for (const key of ['maxCostUsd', 'maxTokens', 'maxPhases', 'maxWallTimeMs'] as const) {
    const bounds = [left[key], right[key]].filter((bound) => bound !== undefined);
    if (bounds.length > 0) result[key] = Math.min(...bounds);
  }
  return result;
}

function hashRequest(request: JobRequest): string {
  const { documents, jobId: _jobId, actorId: _actorId, ...rest } = request;
  const named = (documents ?? []).map(({ name, content }) => [
    name,
    content instanceof Uint8Array ? nameOf(content) : content.hash,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([sorted(rest), named]))
    .digest('hex');
}

/** Keys in one order at every depth, so that the same request has the same hash however it was written down. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
