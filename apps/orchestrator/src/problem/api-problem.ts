import { CodedError } from '@phaseline/basics';
import { createProblem, type Problem, type ProblemCode, type ProblemError } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

export interface ApiProblemOptions extends ErrorOptions {
  readonly errors?: readonly ProblemError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Error for a request that cannot be fulfilled; contains exactly what the caller is told. */
export class ApiProblem extends CodedError {
  readonly headers: Readonly<Record<string, string>>;
  private readonly errors: readonly ProblemError[];

  constructor(
    readonly code: ProblemCode,
    message: string,
    options: ApiProblemOptions = {},
  ) {
    super(message, options);
    this.headers = options.headers ?? {};
    this.errors = options.errors ?? [];
  }

  get body(): Problem {
    return createProblem(this.code, this.message, this.errors);
  }
}

export function jobNotFound(jobId: JobId): ApiProblem {
  return new ApiProblem(
    'job_not_found',
    `There is no job ${JSON.stringify(jobId.slice(0, 100))}. List them with: phaseline list (GET /v1/jobs).`,
  );
}
