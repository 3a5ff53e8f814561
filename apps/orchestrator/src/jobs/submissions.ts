import type { JobId } from '@phaseline/contracts';
import type { EventStore } from '@phaseline/event-store';
import type { EventOrigin } from '@phaseline/repository';
import {
  submitFollowOns,
  submitJob,
  type FollowOnAgent,
  type FollowOnBatches,
  type JobRequest,
  type Submission,
  type SubmissionParts,
} from '@phaseline/orchestration';
import { maxFormBytes } from '../body/limits.js';
import type { FormLimits } from '../body/read-form.js';
import type { StoredContent } from '@phaseline/workspace';

/** Submits jobs that arrive over HTTP or the queue. */
export class Submissions {
  /** Size limits of documents in forms. */
  readonly limits: FormLimits;

  constructor(
    readonly parts: Omit<SubmissionParts, 'store'> & { readonly store: EventStore },
    maxDocumentBytes: number,
  ) {
    this.limits = { documentBytes: maxDocumentBytes, formBytes: maxFormBytes(maxDocumentBytes) };
  }

  /**
   * Stores a document while it arrives, piece by piece; the job submitted later refers to it. `jobId` is the id of an
   * encrypted job, whose documents are stored under its key.
   */
  readonly keep = (source: AsyncIterable<Uint8Array>, jobId?: JobId): Promise<StoredContent> => {
    const { blobs } = this.parts.store;
    return (jobId === undefined ? blobs : blobs.forJob(jobId)).putStream(source);
  };

  /**
   * Submits a job. Throws UnknownDefinition, DocumentRefused and IdempotencyKeyReused; for an encrypted job also
   * MasterKeyMissing and ContentErased.
   */
  submit(request: JobRequest, origin: EventOrigin): Promise<Submission> {
    return submitJob(this.parts, request, origin);
  }

  /** Submits the jobs of an agent that are due in a tenant because requirements are open; see `submitFollowOns`. */
  submitFollowOns(batches: FollowOnBatches, agent: FollowOnAgent, tenant: string): ReturnType<typeof submitFollowOns> {
    return submitFollowOns(this.parts, batches, agent, tenant);
  }
}
