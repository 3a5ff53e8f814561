import type { BulkAction, BulkOutcome, BulkRequest } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { client } from '../api/client.js';
import type { Selection } from './selection.js';

/** Number of jobs per request, small enough that the progress moves. */
const JOBS_PER_REQUEST = 100;

export interface BulkRun {
  readonly action: BulkAction;
  /** The reason, or the message for `steer`. */
  readonly text: string;
  readonly selection: Selection;
  /** Number of jobs that the person saw. If more match meanwhile, the server refuses. */
  readonly expectedCount: number;
  /** The same for every press of the button: if the response to a request was lost, running again does not act twice. */
  readonly idempotencyKey: string;
}

/**
 * Controls all chosen jobs and reports the outcomes so far after each request. When the signal fires, it sends no further request; what the
 * running one does is still reported.
 */
export async function runBulk(
  { action, text, selection, expectedCount, idempotencyKey }: BulkRun,
  report: (outcomes: readonly BulkOutcome[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const note = action === 'steer' ? { message: text } : text === '' ? {} : { reason: text };
  const outcomes: BulkOutcome[] = [];
  const add = (more: readonly BulkOutcome[]): void => {
    outcomes.push(...more);
    report([...outcomes]);
  };
  const send = (request: BulkRequest) => client.controlMany(request, { idempotencyKey });
  if (selection.kind === 'jobs') {
    for (const jobIds of split([...selection.jobIds])) {
      if (signal.aborted) return;
      add((await send({ action, jobIds, ...note })).outcomes);
    }
    return;
  }
  let cursor: string | undefined;
  for (let left = expectedCount; ;) {
    const more = cursor === undefined ? {} : { cursor };
    const response = await send({ action, filter: selection.filter, expectedCount: left, ...more, ...note });
    add(response.outcomes);
    left = Math.max(0, left - response.outcomes.length);
    cursor = response.nextCursor;
    if (cursor === undefined || signal.aborted) return;
  }
}

function split(jobIds: readonly JobId[]): JobId[][] {
  const count = Math.ceil(jobIds.length / JOBS_PER_REQUEST);
  return Array.from({ length: count }, (_, at) => jobIds.slice(at * JOBS_PER_REQUEST, (at + 1) * JOBS_PER_REQUEST));
}
