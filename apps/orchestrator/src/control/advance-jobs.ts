import type { JobId } from '@phaseline/contracts';
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
  'RepositoryImported',
  'RepositoryImportFailed',
  'RepositoryOutputRequested',
] as const satisfies readonly JobEventType[];
const phaseTypes = [
  ...phaseEndTypes,
  'ApprovalRequested',
  'QuestionAsked',
] as const satisfies readonly PhaseEventType[];

/** Event types after which a job may have something to decide, or a timer to set. */
export const CONTROL_TYPES: readonly string[] = [...jobTypes, ...phaseTypes];

export interface AdvanceJobsParts {
  readonly driver: { advance(jobId: JobId): Promise<unknown> };
  /** Maximum number of jobs decided concurrently, over all partitions of this process. */
  readonly concurrency: number;
  /** Called after every job, decided or not. */
  readonly onChecked?: () => void;
  /** Called with a job that cannot be decided at the moment. */
  readonly onProblem: (jobId: JobId, error: unknown) => void;
}

/**
 * Creates a handler for pages of events that advances each of their jobs by one decision. A job that cannot be
 * decided does not delay the others; the reconciler tries it again. When the database or a queue is unreachable, the
 * whole page is delivered again.
 */
export function createAdvanceHandler({
  driver,
  concurrency,
  onChecked = () => {},
  onProblem,
}: AdvanceJobsParts): (events: readonly RecordedEvent[]) => Promise<void> {
  const limited = limitConcurrency(concurrency);
  const advance = async (jobId: JobId): Promise<void> => {
    try {
      await driver.advance(jobId);
    } catch (error) {
      if (isUnreachable(error) || error instanceof QueueUnavailable) throw error;
      onProblem(jobId, error);
    }
    onChecked();
  };
  return async (events) => {
    const jobIds = new Set(events.map(({ correlationId }) => correlationId));
    const outcomes = await Promise.allSettled([...jobIds].map((jobId) => limited(() => advance(jobId))));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
