import { getActorName } from '@phaseline/contracts';
import type { RequiredInputs } from '@phaseline/domain';
import type { EventOrigin } from '@phaseline/repository';
import type { JobRequest } from './job-request.js';
import { PersonNotAllowed } from './submit-errors.js';

/** Returns the person for whom a job with these parameters acts, where they name one; not checked. */
export function findNamedPerson(
  { person }: RequiredInputs,
  parameters: JobRequest['parameters'] = {},
): string | undefined {
  const value = person === undefined ? undefined : parameters[person];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Refuses a request that names another person than its submitter, unless its sender was found to have that right. What is read and spent for a
 * person could otherwise be asked for by everyone who may submit jobs. Throws PersonNotAllowed.
 */
export function checkPerson(
  requires: RequiredInputs,
  request: JobRequest,
  { actor }: Pick<EventOrigin, 'actor'>,
): void {
  const person = findNamedPerson(requires, request.parameters);
  const submitter = getActorName(actor);
  if (person === undefined || person === submitter || request.mayActForOthers === true) return;
  throw new PersonNotAllowed(requires.person!, submitter);
}
