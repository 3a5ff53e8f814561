import type { StoredDeadLetter, DeadLetters } from '@phaseline/cluster';
import { ApiProblem } from '../problem/api-problem.js';

/** Finds a dead letter by its id. Throws ApiProblem. */
export async function findDeadLetter(deadLetters: DeadLetters, id: string): Promise<StoredDeadLetter> {
  const deadLetter = /^\d{1,15}$/.test(id) ? await deadLetters.get(Number(id)) : undefined;
  if (deadLetter) return deadLetter;
  throw new ApiProblem(
    'dead_letter_not_found',
    `There is no dead letter ${JSON.stringify(id.slice(0, 50))}. GET /v1/dead-letters lists them.`,
  );
}
