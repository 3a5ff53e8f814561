import type { Problem, ProblemDetail } from '../problem/problem.js';

/** What every failure of this client has in common. Branch on `code`: it is stable, and survives two copies of this package. */
export abstract class PhaselineClientError extends Error {
  abstract readonly code: string;
}

/** No server answered. */
export class ServerUnreachable extends PhaselineClientError {
  override readonly name = 'ServerUnreachable';
  readonly code = 'server_unreachable';
  constructor(
    readonly baseUrl: string,
    options: { cause: unknown },
  ) {
    super(
      `No Phaseline server answers at ${baseUrl} (${describe(options.cause)}). Start one with \`phaseline up\`, or give the base URL of one that runs.`,
      options,
    );
  }
}

/** The server did not answer in time; whether it acted on the request is unknown. */
export class RequestTimedOut extends PhaselineClientError {
  override readonly name = 'RequestTimedOut';
  readonly code = 'request_timed_out';
  constructor(
    readonly baseUrl: string,
    readonly timeoutMs: number,
  ) {
    super(
      `The server at ${baseUrl} gave no answer within ${timeoutMs} ms. Raise \`timeoutMs\`, or look at the server's /ready.`,
    );
  }
}

/** Something answered, but not as a Phaseline server of this version would. */
export class UnexpectedAnswer extends PhaselineClientError {
  override readonly name = 'UnexpectedAnswer';
  readonly code = 'unexpected_answer';
  constructor(
    readonly request: string,
    problem: string,
    options?: { cause: unknown },
  ) {
    super(
      `${request}: ${problem}. Check that the base URL is that of a Phaseline server whose version fits this client.`,
      options,
    );
  }
}

/** The server answered with a problem. `code` is the server's; the subclasses are for the codes that callers handle most. */
export class RequestRefused extends PhaselineClientError {
  override readonly name: string = 'RequestRefused';
  readonly code: string;
  readonly details: readonly ProblemDetail[];
  constructor(
    problem: Problem,
    readonly status: number,
  ) {
    super(problem.message);
    this.code = problem.code;
    this.details = problem.details ?? [];
  }
}

/** `invalid_request`: `details` names each value that is wrong. */
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

/** `file_not_found`: the workspace has, or at that position had, no such file. */
export class FileNotFound extends RequestRefused {
  override readonly name = 'FileNotFound';
}

/** `unknown_agent` */
export class UnknownAgent extends RequestRefused {
  override readonly name = 'UnknownAgent';
}

/** `idempotency_conflict`: the key was used before for another request. */
export class IdempotencyConflict extends RequestRefused {
  override readonly name = 'IdempotencyConflict';
}

/** Any 5xx, after the retries. */
export class ServerFailed extends RequestRefused {
  override readonly name = 'ServerFailed';
}

/** The job has not ended within the time given to `wait`. It goes on; wait again or cancel it. */
export class WaitTimedOut extends PhaselineClientError {
  override readonly name = 'WaitTimedOut';
  readonly code = 'wait_timed_out';
  constructor(
    readonly jobId: string,
    readonly timeoutMs: number,
    readonly lastStatus: string,
  ) {
    super(
      `Job ${jobId} has not ended within ${timeoutMs} ms (it is ${lastStatus}). It goes on: wait again, or cancel it.`,
    );
  }
}

const byCode: Readonly<Record<string, new (problem: Problem, status: number) => RequestRefused>> = {
  invalid_request: InvalidRequest,
  unauthorized: Unauthorized,
  job_not_found: JobNotFound,
  file_not_found: FileNotFound,
  unknown_agent: UnknownAgent,
  idempotency_conflict: IdempotencyConflict,
};

/** The error for an answer with this problem. */
export function errorOfProblem(problem: Problem, status: number): RequestRefused {
  const Known = Object.hasOwn(byCode, problem.code) ? byCode[problem.code] : undefined;
  if (Known) return new Known(problem, status);
  return status >= 500 ? new ServerFailed(problem, status) : new RequestRefused(problem, status);
}

/** fetch hides the reason ("fetch failed") in `cause`, and several addresses in an AggregateError. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return describe(cause);
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.message;
}
