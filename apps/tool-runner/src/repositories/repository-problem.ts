import { CodedError } from '@phaseline/basics';

/** Thrown when a repository cannot be imported or an output cannot be made, however often it is tried. The message is for people. */
export class RepositoryProblem extends CodedError {
  readonly retryable = false;

  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
