import { CodedError } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';

/** Thrown when an idempotency key was used before with another request. */
export class IdempotencyKeyReused extends CodedError {
  readonly code = 'idempotency_conflict';
  constructor(readonly jobId: JobId) {
    super(
      `this idempotency key was used before with another request, which created job ${jobId}. Use a new key for a new request.`,
    );
  }
}

/** One input that an agent requires and a request lacks. */
export interface MissingInput {
  /** Field of the request, such as `documents` or `parameters.region`. */
  readonly path: string;
  readonly message: string;
}

/** Thrown when the request lacks inputs that the agent requires. Nothing of the request was stored. */
export class InputsMissing extends CodedError {
  readonly code = 'inputs_missing';
  constructor(
    agent: string,
    readonly missing: readonly MissingInput[],
  ) {
    super(`the agent ${agent} needs ${missing.map(({ message }) => message).join(', and ')}`);
  }
}

/** Thrown when the request names another person than its submitter, who may not act for others. Nothing of the request was stored. */
export class PersonNotAllowed extends CodedError {
  readonly code = 'forbidden';
  constructor(parameter: string, submitter: string) {
    super(
      `the parameter ${parameter} names another person than ${submitter}, who submits the job. This needs the right act:on-behalf-of`,
    );
  }
}

/** Thrown when no tool-runner can work with the repository of the request. Nothing of the request was stored. */
export class RepositoryUnavailable extends CodedError {
  readonly code = 'repository_unavailable';
}

/** Thrown when a document of the request is not accepted. Nothing of the request was stored. */
export class DocumentRefused extends CodedError {
  readonly code = 'document_unusable';
}

/** Thrown when the agents that a workflow names cannot work together. Nothing of the request was stored. */
export class AgentsUnusable extends CodedError {
  /** The same code as for an agent that cannot be used, because callers treat both alike. */
  readonly code = 'unknown_agent';
}

/** Thrown when a verifier of the request cannot be used. Nothing of the request was stored. */
export class VerifierRefused extends CodedError {
  readonly code = 'verifier_invalid';
}
