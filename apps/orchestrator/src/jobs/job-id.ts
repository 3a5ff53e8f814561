import type { JobId } from '@phaseline/contracts';
import { jobNotFound } from '../problem/api-problem.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parses the id of a job in a path. An invalid id gets the same response as an unknown one. Throws ApiProblem. */
export function jobIdOf(text: string): JobId {
  const id = text.toLowerCase();
  if (!UUID.test(id)) throw jobNotFound(text);
  return id;
}
