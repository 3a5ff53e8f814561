import { jobNotFound } from '../problem/api-problem.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of a job out of a path. What cannot be one is answered like one that does not exist. Throws ApiProblem. */
export function jobIdOf(text: string): string {
  const id = text.toLowerCase();
  if (!UUID.test(id)) throw jobNotFound(text);
  return id;
}
