import type { JobId } from '@phaseline/contracts';
import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  actionPageSchema,
  anchorPageSchema,
  verificationSchema,
  type ActionPage,
  type ActionsQuery,
  type AnchorPage,
  type AnchorsQuery,
  type Verification,
  type VerificationRequest,
} from './audit.js';

/** The proofs of the log, and who did what. */
export class AuditApi {
  constructor(private readonly transport: Transport) {}

  /** Returns one page of anchors, newest first. */
  anchors(query: Partial<AnchorsQuery> = {}, options: Cancellable = {}): Promise<AnchorPage> {
    return this.transport.json(createGet(routes.auditAnchors(), query, options), anchorPageSchema);
  }

  /**
   * Starts a verification of the log, or of one job. Returns the running one if it is for the same. Throws JobNotFound, or RequestRefused
   * (`request_refused`) while the server verifies something else.
   */
  startVerification(request: VerificationRequest = {}, options: Cancellable = {}): Promise<Verification> {
    return this.transport.json(createWrite('POST', routes.auditVerifications(), request, options), verificationSchema);
  }

  /** Returns how far a verification is, or what it found. Throws PhaselineClientError (`run_not_found`). */
  verification(id: string, options: Cancellable = {}): Promise<Verification> {
    return this.transport.json(createGet(routes.auditVerification(id), {}, options), verificationSchema);
  }

  /**
   * Streams a job as an archive (tar, gzip) that can be verified without a database. Throws JobNotFound, or RequestRefused
   * (`request_refused`) if the server has no key that could sign it.
   */
  exportJob(
    jobId: JobId,
    { withFiles = false, signal }: Cancellable & { readonly withFiles?: boolean } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const request = createGet(routes.jobExport(jobId), { files: String(withFiles) }, signal ? { signal } : {});
    return this.transport.send(request, async ({ body }) => body ?? new Blob([]).stream());
  }

  /** Returns one page of what persons and keys did, latest first. Continue while the page has a `nextCursor`. */
  actions(query: Partial<ActionsQuery> = {}, options: Cancellable = {}): Promise<ActionPage> {
    return this.transport.json(createGet(routes.auditActions(), query, options), actionPageSchema);
  }
}
