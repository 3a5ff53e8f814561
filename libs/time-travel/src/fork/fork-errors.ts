import { CodedError } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';

/** Thrown when a job cannot be forked as requested. Nothing was recorded. */
export class ForkRefused extends CodedError {
  readonly code = 'fork_refused';
}

/** Thrown when what a fork asks for cannot be meant, such as a setting of a tool that the agent does not have. Nothing was recorded. */
export class ForkInvalid extends CodedError {
  readonly code = 'fork_invalid';
}

/** Thrown when an idempotency key was used before with another request. */
export class ForkConflict extends CodedError {
  readonly code = 'idempotency_conflict';
  constructor(readonly jobId: JobId) {
    super(
      `this idempotency key was used before with another request, which created job ${jobId}. Use a new key for a new request.`,
    );
  }
}
