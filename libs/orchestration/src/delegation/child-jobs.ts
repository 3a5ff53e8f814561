import { getActorName, type JobId } from '@phaseline/contracts';
import {
  hasJobEnded,
  isDelegating,
  isEncryptedJob,
  listCalls,
  MAX_DELEGATION_DEPTH,
  NOTHING_SPENT,
  type ChildJob,
  type DelegatedBy,
  type JobState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { DuplicateEventId, StreamClosed, WrongExpectedVersion, type BlobWrite } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { createJobId, deriveEventId, type JobRepository } from '@phaseline/repository';
import type { Sender } from '@phaseline/contracts';
import { getJobBlobs } from '@phaseline/workspace';
import { findNamedPerson } from '../check-person.js';
import { dispatchDue } from '../dispatch-due.js';
import type { JobDriver } from '../job-driver.js';
import type { JobRequest } from '../job-request.js';
import type { Leases } from '../ports.js';
import { IdempotencyKeyReused } from '../submit-errors.js';
import { submitJob, type SubmissionParts } from '../submit-job.js';
import { buildChildEnd, type ChildEnd } from './child-end.js';
import type { ChildJobTable, Delegated } from './child-job-table.js';

/** Id of the actor that submits and cancels child jobs, on behalf of the one that submitted the parent. It has no key and no role. */
const DELEGATION_ACTOR = 'system/delegation';

export interface ChildJobsParts extends SubmissionParts {
  readonly repository: JobRepository;
  readonly table: ChildJobTable;
  readonly driver: Pick<JobDriver, 'advance' | 'control'>;
  readonly sender: Sender;
  readonly leases: Leases;
  /** Whether an error of a submission is final: its message is for the model. */
  readonly isRefusal: (error: unknown) => error is Error;
}

/** Conflicting appends in a row after which the end of a child job is left to the reconciler. */
const MAX_CONFLICTS = 20;

/** Submits, ends and cancels child jobs. Each method is safe to call at any time, concurrently, and again after a crash. */
export class ChildJobs {
  constructor(private readonly parts: ChildJobsParts) {}

  /** Submits the child jobs that the phase of a job waits for, and records those that were refused. */
  async submitRequested(jobId: JobId): Promise<void> {
    const { repository } = this.parts;
    const job = await repository.loadJob(jobId);
    if (!job?.active || hasJobEnded(job)) return;
    const phase = await repository.loadPhase(jobId, job.active.phase);
    if (!phase || phase.end) return;
    const calls = listCalls(phase).filter(isDelegating);
    if (calls.length === 0) return;
    for (const call of calls) await this.submit(job, phase, call.callId, call.child);
    // If the phase has ended meanwhile, the process that handled its end may have found no child job to cancel.
    if (!(await repository.loadPhase(jobId, job.active.phase))?.end) return;
    for (const child of await this.listChildrenOf([jobId])) await this.cancelOrphan(child);
  }

  /** Does again what an earlier failure may have left undone for a job that waits for child jobs. */
  async reconcile(jobId: JobId): Promise<void> {
    await this.submitRequested(jobId);
    for (const child of await this.listChildrenOf([jobId])) await this.reportEnd(child);
  }

  /** Those of these jobs that are child jobs. */
  listAmong(jobIds: readonly JobId[]): Promise<readonly Delegated[]> {
    return this.parts.table.find('childId', jobIds);
  }

  /** The child jobs of these jobs. */
  listChildrenOf(jobIds: readonly JobId[]): Promise<readonly Delegated[]> {
    return this.parts.table.find('parentId', jobIds);
  }

  /** Records in its parent that a child job has ended, if it has. */
  async reportEnd({ childId, parentId, phase, callId }: Delegated): Promise<void> {
    const job = await this.parts.repository.loadJob(childId);
    if (!job || !hasJobEnded(job)) return;
    const last = job.last && (await this.parts.repository.loadPhase(childId, job.last.phase));
    await this.recordEnd(parentId, phase, callId, (child) => buildChildEnd(callId, child, job, last));
  }

  /** Cancels a child job whose phase has ended. */
  async cancelOrphan({ childId, parentId, phase }: Delegated): Promise<void> {
    const parent = await this.parts.repository.loadPhase(parentId, phase);
    if (!parent?.end) return;
    const reason = 'the phase that delegated the task has ended';
    await this.parts.driver.control(
      childId,
      { action: 'cancel', actor: DELEGATION_ACTOR, reason },
      { sender: { id: DELEGATION_ACTOR, kind: 'service' } },
    );
  }

  private async submit(job: JobState, phase: PhaseState, callId: string, child: ChildJob): Promise<void> {
    const { jobId, tenant, delegatedBy } = job.submitted;
    const depth = (delegatedBy?.depth ?? 0) + 1;
    const { phase: number } = phase.start.identity;
    const by: DelegatedBy = { jobId, phase: number, callId, depth, maxTokens: child.maxTokens };
    const childId = createChildJobId(job, by);
    const refuse = (message: string): Promise<void> =>
      this.recordEnd(jobId, number, callId, (waiting) => ({
        end: {
          ...{ callId, outcome: 'refused', summary: message, files: [], omittedFiles: 0 },
          ...{ reserved: waiting.reserved, spending: NOTHING_SPENT, unconfirmed: { costMicroUsd: 0, tokens: 0 } },
        },
        files: [],
      }));
    if (depth > MAX_DELEGATION_DEPTH)
      return refuse(`A job at depth ${MAX_DELEGATION_DEPTH} of delegation cannot delegate further.`);
    await this.parts.table.add({ childId, parentId: jobId, phase: number, callId });
    faultPoint('delegation.registered', childId);
    try {
      const [first] = await this.parts.store.read(`job-${jobId}`, { to: 1 });
      const actor = first?.metadata['actor'] as { readonly id: string; readonly kind: 'person' | 'service' };
      const request = await this.toRequest(job, child, by, childId);
      const onBehalfOf = { id: getActorName(actor), kind: actor.kind };
      await submitJob(
        this.parts,
        { ...request, tenant },
        { actor: { id: DELEGATION_ACTOR, kind: 'service', onBehalfOf } },
      );
    } catch (error) {
      if (error instanceof IdempotencyKeyReused) return;
      if (!this.parts.isRefusal(error)) throw error;
      await refuse(error.message);
    }
  }

  /** Whether a child acts for the same person as its parent, whose right to do so was checked. */
  private async actsForPersonOf({ definition, submitted }: JobState, child: ChildJob): Promise<boolean> {
    const person = findNamedPerson(definition.agent.requires ?? {}, submitted.parameters);
    const { requires = {} } = (await this.parts.agents.resolve(child.agent, submitted.tenant)).definition;
    return person !== undefined && findNamedPerson(requires, child.parameters) === person;
  }

  private async toRequest(job: JobState, child: ChildJob, delegatedBy: DelegatedBy, jobId: JobId): Promise<JobRequest> {
    const isEncrypted = isEncryptedJob(job.submitted.jobId);
    const blobs = getJobBlobs(this.parts.store.blobs, job.submitted.jobId);
    const documents = await Promise.all(
      child.inputs.map(async ({ path, hash, size }) => {
        // Blobs of encrypted jobs are stored under the key of their job.
        const content = isEncrypted ? await blobs.get(hash) : { hash, size };
        if (!content) throw new Error(`the content of ${path} is not stored`);
        return { name: path, content };
      }),
    );
    const { costMicroUsd, tokens } = child.limits;
    const criteria = child.successCriteria === undefined ? '' : `\n\nThe result is good if: ${child.successCriteria}`;
    return {
      agent: child.agent,
      jobId,
      instructions: `${child.task}${criteria}`,
      ...(child.parameters === undefined ? {} : { parameters: child.parameters }),
      mayActForOthers: await this.actsForPersonOf(job, child),
      documents,
      budgets: {
        ...(costMicroUsd === undefined ? {} : { maxCostUsd: costMicroUsd / 1_000_000 }),
        ...(tokens === undefined ? {} : { maxTokens: tokens }),
        maxWallTimeMs: child.timeoutMs,
      },
      labels: job.submitted.labels,
      priority: job.submitted.priority,
      delegatedBy,
      actorId: DELEGATION_ACTOR,
      ...(isEncrypted ? { encrypt: true } : {}),
    };
  }

  /** Records the end of a child job unless its call no longer waits, and wakes the phase. */
  private async recordEnd(
    jobId: JobId,
    number: number,
    callId: string,
    build: (child: ChildJob) => ChildEnd,
  ): Promise<void> {
    const { repository } = this.parts;
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const phase = await repository.loadPhase(jobId, number);
      const call = phase && !phase.end ? phase.calls.byId[callId] : undefined;
      if (!phase || !call || !isDelegating(call)) return;
      const { end, files } = build(call.child);
      const event: PhaseEvent = { type: 'ChildJobEnded', data: end };
      try {
        const state = await repository.appendToPhase(phase, [event], {
          origin: { actor: { id: DELEGATION_ACTOR, kind: 'service' } },
          blobs: await this.copyFiles(jobId, end.childJobId, files),
          eventIds: { 0: deriveEventId(`child-end/${jobId}/${number}/${callId}`) },
        });
        faultPoint('delegation.recorded', jobId);
        await this.parts.driver.advance(jobId);
        await dispatchDue(state, this.parts);
        return;
      } catch (error) {
        if (error instanceof StreamClosed || error instanceof DuplicateEventId) return;
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
    throw new Error(
      `phase ${number} of job ${jobId} changed ${MAX_CONFLICTS} times while the end of a child job was recorded`,
    );
  }

  /** Returns the content of files of an encrypted child job, to be stored under the key of its parent. */
  private async copyFiles(parentId: JobId, childId: JobId | undefined, files: ChildEnd['files']): Promise<BlobWrite[]> {
    if (childId === undefined || !isEncryptedJob(parentId)) return [];
    const blobs = getJobBlobs(this.parts.store.blobs, childId);
    return Promise.all(
      files.map(async ({ path, hash }) => {
        const content = await blobs.get(hash);
        if (!content) throw new Error(`the content of ${path} is not stored`);
        return { hash, content };
      }),
    );
  }
}

function createChildJobId({ submitted }: JobState, { jobId, phase, callId }: DelegatedBy): JobId {
  const key = JSON.stringify([jobId, phase, callId]);
  const isEncrypted = isEncryptedJob(jobId);
  return createJobId({ isEncrypted, tenant: submitted.tenant, actorId: DELEGATION_ACTOR, key });
}
