import { Injectable, StandardSchemaValidationPipe } from '@nestjs/common';
import type { ProblemDetail } from '@phaseline/client';
import { ApiProblem } from './api-problem.js';

/** Validates what a route declares with `@Body({ schema })` and `@Query({ schema })`; the problem names each value that is wrong. */
@Injectable()
export class ValidationPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({
      exceptionFactory: (issues) =>
        invalidRequest(issues.map(({ path, message }) => ({ path: joined(path), message }))),
    });
  }
}

export function invalidRequest(details: readonly ProblemDetail[]): ApiProblem {
  const [first] = details;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see "details")` : '';
  return new ApiProblem(
    'invalid_request',
    `The request is not valid: ${where}${first?.message ?? 'unknown reason'}${more}`,
    { details },
  );
}

function joined(path: readonly (PropertyKey | { readonly key: PropertyKey })[] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
