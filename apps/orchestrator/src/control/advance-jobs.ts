import { phaseEndTypes, type JobEventType, type PhaseEventType } from '@phaseline/domain';
import { isUnreachable, type RecordedEvent } from '@phaseline/event-store';
import { QueueUnavailable } from '@phaseline/queue';
import { limitConcurrency } from './limit-concurrency.js';

const jobTypes = [
  'JobSubmitted',
  'JobForked',
  'JobCancelRequested',
  'JobResumed',
  'JobRetried',
] as const satisfies readonly JobEventType[];
const phaseTypes = [...phaseEndTypes, 'ApprovalRequested'] as const satisfies readonly PhaseEventType[];

/** The events after which a job may have something to decide, or a timer to wait for. */
export const CONTROL_TYPES: readonly string[] = [...jobTypes, ...phaseTypes];

export interface AdvanceJobsParts {
  readonly driver: { advance(jobId: string): Promise<unknown> };
  /** How many jobs are decided side by side, over all partitions of this process. */
  readonly concurrency: number;
  /** Told of every job that was looked at. */
  readonly onLooked?: () => void;
  /** Told of a job that cannot be decided at the moment. */
  readonly onProblem: (jobId: string, error: unknown) => void;
}

/**
 * Makes a handler for the tail: takes every job that a page of events is about one decision further. A job that cannot be
 * decided does not hold up the others; the reconciler comes back to it. A database or queue that is away does: then the
 * whole page comes again.
 */
export function advanceJobs({
  driver,
  concurrency,
  onLooked = () => {},
  onProblem,
}: AdvanceJobsParts): (events: readonly RecordedEvent[]) => Promise<void> {
  const limited = limitConcurrency(concurrency);
  const advance = async (jobId: string): Promise<void> => {
    try {
      await driver.advance(jobId);
    } catch (error) {
      if (isUnreachable(error) || error instanceof QueueUnavailable) throw error;
      onProblem(jobId, error);
    }
    onLooked();
  };
  return async (events) => {
    const jobIds = new Set(events.map(({ correlationId }) => correlationId));
    const outcomes = await Promise.allSettled([...jobIds].map((jobId) => limited(() => advance(jobId))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
