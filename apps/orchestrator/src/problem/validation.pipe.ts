import { Injectable, StandardSchemaValidationPipe } from '@nestjs/common';
import { describeInvalid, type ProblemError } from '@phaseline/client';
import { ApiProblem } from './api-problem.js';

/**
 * Validates what a route declares with `@Body({ schema })` and `@Query({ schema })`; the problem names each invalid
 * value.
 */
@Injectable()
export class ValidationPipe extends StandardSchemaValidationPipe {
  constructor() {
    super({
      exceptionFactory: (issues) =>
        invalidRequest(issues.map(({ path, message }) => ({ path: joinPath(path), message }))),
    });
  }
}

export function invalidRequest(errors: readonly ProblemError[]): ApiProblem {
  return new ApiProblem('invalid_request', describeInvalid(errors), { errors });
}

function joinPath(path: readonly (PropertyKey | { readonly key: PropertyKey })[] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
