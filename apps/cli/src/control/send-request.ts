import type { CancelRequest, ControlAction, ControlRequests, PhaselineClient } from '@phaseline/client';
import type { JobId, JobStatus } from '@phaseline/contracts';
import type { SeenJob } from './seen-job.js';

/** An action on jobs. */
export type BulkAction = ControlAction | 'cancel';
/** The request of each action. */
export interface BulkRequests extends ControlRequests {
  readonly cancel: CancelRequest;
}

/** Result of the request for one job. */
export interface Outcome {
  readonly jobId: JobId;
  readonly status?: JobStatus;
  readonly changed: boolean;
  /** Set if the server refused the request. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Refusals that concern one job alone, so that the others still get the request. */
const refusals: ReadonlySet<unknown> = new Set(['request_refused', 'job_not_found', 'forbidden']);

/** Sends a request to a job. A refusal for one of many jobs does not stop the others. For a single job it is the error of the command. */
export async function sendRequest<Action extends BulkAction>(
  client: PhaselineClient,
  { jobId, position }: SeenJob,
  action: Action,
  request: BulkRequests[Action],
  { isOnlyJob, signal }: { readonly isOnlyJob: boolean; readonly signal: AbortSignal },
): Promise<Outcome> {
  const sent = position === undefined ? request : { ...request, ifUnchangedSince: position };
  try {
    if (action === 'cancel') return await client.cancel(jobId, sent as CancelRequest, { signal });
    return await client.control(jobId, action, sent as ControlRequests[ControlAction], { signal });
  } catch (error) {
    if (isOnlyJob || !(error instanceof Error && 'code' in error && refusals.has(error.code))) throw error;
    return { jobId, changed: false, error: { code: String(error.code), message: error.message } };
  }
}
