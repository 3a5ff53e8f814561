import type { JobId } from '@phaseline/contracts';
import type { Problem, ProblemError } from '../problem/problem.js';

/** Base class of the client's errors. Branch on `code`: it is stable and works with several copies of this package. */
export abstract class PhaselineClientError extends Error {
  abstract readonly code: string;
}

/** No server responded. */
export class ServerUnreachable extends PhaselineClientError {
  override readonly name = 'ServerUnreachable';
  readonly code = 'server_unreachable';
  constructor(
    readonly baseUrl: string,
    options: { cause: unknown },
  ) {
    super(
      `No Phaseline server responds at ${baseUrl} (${describe(options.cause)}). Start one with \`phaseline up\`, or pass the base URL of a running server.`,
      options,
    );
  }
}

/** The server did not respond in time. Whether it processed the request is unknown. */
export class RequestTimedOut extends PhaselineClientError {
  override readonly name = 'RequestTimedOut';
  readonly code = 'request_timed_out';
  constructor(
    readonly baseUrl: string,
    readonly timeoutMs: number,
  ) {
    super(
      `The server at ${baseUrl} did not respond within ${timeoutMs} ms. Increase \`timeoutMs\`, or check the server's /ready.`,
    );
  }
}

/** The response is not that of a Phaseline server that this client supports. */
export class UnexpectedResponse extends PhaselineClientError {
  override readonly name = 'UnexpectedResponse';
  readonly code = 'unexpected_response';
  constructor(
    readonly request: string,
    problem: string,
    options?: { cause: unknown },
  ) {
    super(
      `${request}: ${problem}. Check that the base URL is that of a Phaseline server whose version matches this client.`,
      options,
    );
  }
}

/** The server responded with a problem. `code` is the server's. Subclasses exist for the codes that callers handle most often. */
export class RequestRefused extends PhaselineClientError {
  override readonly name: string = 'RequestRefused';
  readonly code: string;
  readonly errors: readonly ProblemError[];
  constructor(
    problem: Problem,
    readonly status: number,
  ) {
    super(problem.message);
    this.code = problem.code;
    this.errors = problem.errors ?? [];
  }
}

/** `invalid_request`: `details` names each invalid value. */
export class InvalidRequest extends RequestRefused {
  override readonly name = 'InvalidRequest';
}

/** `unauthorized`: the API key is missing or wrong. */
export class Unauthorized extends RequestRefused {
  override readonly name = 'Unauthorized';
}

/** `job_not_found` */
export class JobNotFound extends RequestRefused {
  override readonly name = 'JobNotFound';
}

/** `file_not_found`: the workspace has no such file, or had none at that position. */
export class FileNotFound extends RequestRefused {
  override readonly name = 'FileNotFound';
}

/** `file_changed`: the file is not what the request expected. */
export class FileChanged extends RequestRefused {
  override readonly name = 'FileChanged';
}

/** `unknown_agent` */
export class UnknownAgent extends RequestRefused {
  override readonly name = 'UnknownAgent';
}

/** `idempotency_conflict`: the key was already used for a different request. */
export class IdempotencyConflict extends RequestRefused {
  override readonly name = 'IdempotencyConflict';
}

/** A 5xx response, after all retries. */
export class ServerFailed extends RequestRefused {
  override readonly name = 'ServerFailed';
}

/** The job did not end within the timeout of `wait`. It continues; wait again or cancel it. */
export class WaitTimedOut extends PhaselineClientError {
  override readonly name = 'WaitTimedOut';
  readonly code = 'wait_timed_out';
  constructor(
    readonly jobId: JobId,
    readonly timeoutMs: number,
    readonly lastStatus: string,
  ) {
    super(
      `Job ${jobId} did not end within ${timeoutMs} ms (it is ${lastStatus}). It continues: wait again, or cancel it.`,
    );
  }
}

const byCode: Readonly<Record<string, new (problem: Problem, status: number) => RequestRefused>> = {
  invalid_request: InvalidRequest,
  unauthorized: Unauthorized,
  job_not_found: JobNotFound,
  file_not_found: FileNotFound,
  file_changed: FileChanged,
  unknown_agent: UnknownAgent,
  idempotency_conflict: IdempotencyConflict,
};

/** Creates the error for a response with this problem. */
export function createErrorFromProblem(problem: Problem, status: number): RequestRefused {
  const ErrorClass = Object.hasOwn(byCode, problem.code) ? byCode[problem.code] : undefined;
  if (ErrorClass) return new ErrorClass(problem, status);
  return status >= 500 ? new ServerFailed(problem, status) : new RequestRefused(problem, status);
}

/** Describes the underlying error: `fetch` hides it in `cause` ("fetch failed"), and several addresses in an AggregateError. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return describe(cause);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.message;
}
