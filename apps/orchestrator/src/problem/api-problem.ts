import { createProblem, type Problem, type ProblemCode, type ProblemDetail } from '@phaseline/client';

export interface ApiProblemOptions extends ErrorOptions {
  readonly details?: readonly ProblemDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Error for a request that cannot be fulfilled; contains exactly what the caller is told. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly headers: Readonly<Record<string, string>>;
  private readonly details: readonly ProblemDetail[];

  constructor(
    readonly code: ProblemCode,
    message: string,
    options: ApiProblemOptions = {},
  ) {
    super(message, options);
    this.headers = options.headers ?? {};
    this.details = options.details ?? [];
  }

  get body(): Problem {
    return createProblem(this.code, this.message, this.details);
  }
}

export function jobNotFound(jobId: string): ApiProblem {
  return new ApiProblem(
    'job_not_found',
    `There is no job ${JSON.stringify(jobId.slice(0, 100))}. List the jobs with GET /v1/jobs.`,
  );
}
