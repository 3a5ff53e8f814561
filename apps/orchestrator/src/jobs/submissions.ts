import type { EventStore } from '@phaseline/event-store';
import type { EventOrigin } from '@phaseline/history';
import { submitJob, type JobRequest, type Submission, type SubmissionParts } from '@phaseline/orchestration';
import { maxFormBytes } from '../body/limits.js';
import type { FormLimits } from '../body/read-form.js';
import type { FileEntry } from '@phaseline/workspace';

/** Takes jobs in, from wherever they are asked for. */
export class Submissions {
  /** Of documents in forms. */
  readonly limits: FormLimits;

  constructor(
    private readonly parts: Omit<SubmissionParts, 'store'> & { readonly store: EventStore },
    maxDocumentBytes: number,
  ) {
    this.limits = { documentBytes: maxDocumentBytes, formBytes: maxFormBytes(maxDocumentBytes) };
  }

  /**
   * Stores a document on its way in, a piece at a time; the job that is then submitted refers to it. `jobId` is that of an
   * encrypted job, whose documents are kept with it.
   */
  readonly keep = (source: AsyncIterable<Uint8Array>, jobId?: string): Promise<FileEntry> => {
    const { blobs } = this.parts.store;
    return (jobId === undefined ? blobs : blobs.of(jobId)).putStream(source);
  };

  /** Throws UnknownDefinition, DocumentRefused, IdempotencyConflict; for an encrypted job MasterKeyMissing, ContentErased. */
  submit(request: JobRequest, origin: EventOrigin): Promise<Submission> {
    return submitJob(this.parts, request, origin);
  }
}
