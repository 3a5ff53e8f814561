import type { z } from 'zod';
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

/** Creates the problem for values that a schema rejected. `root` is the path of the parsed value. */
export function invalidValues({ issues }: z.ZodError, ...root: readonly string[]): ApiProblem {
  return invalidRequest(issues.map(({ path, message }) => ({ path: joinPath([...root, ...path]), message })));
}

export function invalidRequest(errors: readonly ProblemError[]): ApiProblem {
  return new ApiProblem('invalid_request', describeInvalid(errors), { errors });
}

function joinPath(path: readonly (PropertyKey | { readonly key: PropertyKey })[] = []): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}
