import { createHash } from 'node:crypto';
import { getActorName, SUBMIT_LIMITS, type JobId } from '@phaseline/contracts';
import {
  addTask,
  budgetsSchema,
  EXPERIENCES_FILE,
  INSTRUCTIONS_FILE,
  turnLimitsSchema,
  type Budgets,
  type JobEvent,
} from '@phaseline/domain';
import { yieldOnce, toCanonicalJson } from '@phaseline/basics';
import { StreamClosed, WrongExpectedVersion, type BlobWrite, type EventLog } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { buildJobAppend, createJobId, type EventOrigin, type JobRepository } from '@phaseline/repository';
import {
  precomputeHash,
  InvalidPath,
  getContentHash,
  getJobBlobs,
  StagedWorkspace,
  type FileChange,
  type FileEntry,
} from '@phaseline/workspace';
import { toJobDefinition } from './job-definition.js';
import { checkPerson } from './check-person.js';
import { checkInputList } from './check-input-list.js';
import { checkVerifiers } from './check-verifiers.js';
import type { JobRequest } from './job-request.js';
import type { AgentSource, Clock, ExperienceSource, ResolvedAgent, SecretNames } from './ports.js';
import { findMissingRepositorySecret } from './repository-secret.js';
import { findMissingInputs } from './required-inputs.js';
import { checkStateAgents, listStateAgentFiles } from './state-agents.js';
import { describeMissingGit, type ReportedToolRunner } from './repository-support.js';
import { DocumentRefused, IdempotencyKeyReused, InputsMissing, RepositoryUnavailable } from './submit-errors.js';

export interface Submission {
  readonly jobId: JobId;
  /** False when the job already existed. */
  readonly created: boolean;
}

/** What `submitJob` needs. */
export interface SubmissionParts {
  readonly store: EventLog;
  readonly repository: JobRepository;
  readonly agents: AgentSource;
  readonly clock: Clock;
  /** When absent, every job starts without experiences. */
  readonly experiences?: ExperienceSource;
  /** Lists the running tool-runners, for jobs with a repository. When absent, such jobs are accepted. */
  readonly listToolRunners?: () => Promise<readonly ReportedToolRunner[]>;
  /** When absent, the secrets that repositories need are not checked. */
  readonly secrets?: SecretNames;
}

/**
 * Records a job. Its definitions, instructions and documents become part of the log in the same commit, so no later
 * change can affect the job. Throws InputsMissing, PersonNotAllowed, RepositoryUnavailable, VerifierRefused, IdempotencyKeyReused and
 * DocumentRefused; for an
 * encrypted job also MasterKeyMissing, and ContentErased when the key names a job that was erased.
 */
export async function submitJob(parts: SubmissionParts, request: JobRequest, origin: EventOrigin): Promise<Submission> {
  const agent = await parts.agents.resolve(request.agent, request.tenant ?? 'default');
  const missing = findMissingInputs(agent.definition.requires ?? {}, request);
  if (missing.length > 0) throw new InputsMissing(request.agent, missing);
  checkPerson(agent.definition.requires ?? {}, request, origin);
  checkStateAgents(agent);
  checkVerifiers(agent.definition, request);
  if (request.repository) {
    const missingGit = describeMissingGit((await parts.listToolRunners?.()) ?? []);
    if (missingGit !== undefined) throw new RepositoryUnavailable(missingGit);
    const scope = { tenant: request.tenant ?? 'default', agent: agent.definition.name };
    const secret = parts.secrets && (await findMissingRepositorySecret(request.repository, scope, parts.secrets));
    if (secret) throw new InputsMissing(request.agent, [secret]);
  }
  // Hashing 32 MiB takes a while, and this process serves other requests.
  for (const { content } of request.documents ?? [])
    if (content instanceof Uint8Array) await precomputeHash(content, () => yieldOnce());
  const requestHash = hashRequest(request);
  const tenant = request.tenant ?? 'default';
  const { actorId, idempotencyKey: key } = request;
  const jobId = request.jobId ?? createJobId({ isEncrypted: request.encrypt === true, tenant, actorId, key });
  await checkInputList(agent.workflow, request, getJobBlobs(parts.store.blobs, jobId));
  // Stored as a file of the job, so that the job's log alone shows what it started with. Only when the agent requests it,
  // because nobody has reviewed what earlier jobs noted.
  const carriesExperiences = agent.definition.carryExperiences === true;
  const experiences = carriesExperiences
    ? await parts.experiences?.buildFile(tenant, agent.definition.name)
    : undefined;
  const { tree, blobs } = initialFiles(request, agent, experiences, parts.clock.now());
  const submitted: JobEvent = {
    type: 'JobSubmitted',
    data: {
      jobId,
      actor: getActorName(origin.actor),
      requestHash,
      ...toJobDefinition(agent),
      tree,
      ...(request.repository ? { repository: request.repository } : {}),
      ...(request.verifiers ? { verifiers: request.verifiers } : {}),
      budgets: tightestBudgets(agent.definition.budgets, budgetsSchema.parse(request.budgets ?? {})),
      ...(request.turns ? { turns: turnLimitsSchema.parse(request.turns) } : {}),
      ...(request.dailyBudget ? { dailyBudget: request.dailyBudget } : {}),
      parameters: request.parameters ?? {},
      labels: { ...request.labels },
      priority: request.priority ?? 0,
      tenant,
      ...(request.followOn ? { followOn: request.followOn } : {}),
      ...(request.delegatedBy ? { delegatedBy: request.delegatedBy } : {}),
    },
  };
  try {
    faultPoint('submission.before-append', jobId);
    await parts.store.append(buildJobAppend(jobId, 0, [submitted], origin), { blobs });
    faultPoint('submission.after-append', jobId);
    return { jobId, created: true };
  } catch (error) {
    // A job that has ended accepts no events, even if any version is expected.
    if (!(error instanceof WrongExpectedVersion || error instanceof StreamClosed)) throw error;
    const existing = await parts.repository.loadJob(jobId);
    if (existing?.submitted.requestHash !== requestHash) throw new IdempotencyKeyReused(jobId);
    return { jobId, created: false };
  }
}

function initialFiles(
  request: JobRequest,
  { definition, instructions, files = [], agents = [] }: ResolvedAgent,
  experiences: string | undefined,
  now: Date,
): { tree: Record<string, FileEntry>; blobs: BlobWrite[] } {
  const encoder = new TextEncoder();
  const given = request.instructions?.trim() ?? '';
  const changes: FileChange[] = [
    { path: INSTRUCTIONS_FILE, content: encoder.encode(addTask(instructions, given).toWellFormed()) },
    ...files,
    ...listStateAgentFiles(agents, (text) => addTask(text, given)),
  ];
  for (const { path, purpose } of definition.workspace?.structure ?? []) {
    const folder = path.replace(/\/$/, '');
    // A folder exists because it contains a file.
    changes.push({ path: `${folder}/README.md`, content: encoder.encode(`# ${folder}\n\n${purpose}\n`) });
  }
  if (experiences !== undefined) changes.push({ path: EXPERIENCES_FILE, content: encoder.encode(experiences) });
  if (request.parameters && Object.keys(request.parameters).length > 0) {
    changes.push({
      path: 'parameters.json',
      content: encoder.encode(`${JSON.stringify(request.parameters, null, 2)}\n`),
    });
  }
  const names = new Set<string>();
  for (const { name, content } of [...(request.documents ?? []), ...(request.addedDocuments ?? [])]) {
    const size = content instanceof Uint8Array ? content.byteLength : content.size;
    if (size === 0) throw new DocumentRefused(`the document ${name} is empty; give a file with content`);
    // Streams into the blob store have a separate limit.
    if (content instanceof Uint8Array && size > SUBMIT_LIMITS.documentBytes) {
      throw new DocumentRefused(
        `the document ${name} has ${size} bytes; at most ${SUBMIT_LIMITS.documentBytes} (${SUBMIT_LIMITS.documentBytes / 1024 / 1024} MiB) are accepted. Split it`,
      );
    }
    if (names.has(name)) throw new DocumentRefused(`two documents are named ${name}; give each its own name`);
    names.add(name);
    const path = `documents/${name}`;
    changes.push(content instanceof Uint8Array ? { path, content } : { path, stored: content });
  }
  const staged = new StagedWorkspace({}, { get: async () => undefined });
  try {
    const { blobs } = staged.stage(changes, now);
    return { tree: { ...staged.tree }, blobs: [...blobs] };
  } catch (error) {
    if (error instanceof InvalidPath) throw new DocumentRefused(error.message, { cause: error });
    throw error;
  }
}

/**
 * Combines two sets of budgets, taking the lower of each: neither the agent's author nor the submitter can raise the
 * other's.
 */
function tightestBudgets(left: Budgets, right: Budgets): Budgets {
  const result: Record<string, number> = {};
  for (const key of ['maxCostUsd', 'maxTokens', 'maxPhases', 'maxWallTimeMs'] as const) {
    const bounds = [left[key], right[key]].filter((bound) => bound !== undefined);
    if (bounds.length > 0) result[key] = Math.min(...bounds);
  }
  return result;
}

function hashRequest(request: JobRequest): string {
  const {
    documents,
    addedDocuments: _added,
    jobId: _jobId,
    actorId: _actorId,
    mayActForOthers: _may,
    sentParameters,
    ...given
  } = request;
  const rest = sentParameters ? { ...given, parameters: sentParameters } : given;
  const named = (documents ?? []).map(({ name, content }) => [
    name,
    content instanceof Uint8Array ? getContentHash(content) : content.hash,
  ]);
  // Sorted keys, so that the same request has the same hash in every notation.
  return createHash('sha256')
    .update(toCanonicalJson([rest, named]))
    .digest('hex');
}
