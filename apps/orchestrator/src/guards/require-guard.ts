import { parseStoredGuard, type ParsedStoredGuard } from '@phaseline/domain';
import { invalidRequest } from '../problem/validation.pipe.js';

/** Parses the member `guard` of a request. Throws ApiProblem with the path of every member that is wrong. */
export function requireGuard(sent: unknown): ParsedStoredGuard {
  const parsed = parseStoredGuard(sent);
  if (!('problems' in parsed)) return parsed;
  throw invalidRequest(
    parsed.problems.map(({ path, message }) => ({ path: path === '' ? 'guard' : `guard.${path}`, message })),
  );
}
