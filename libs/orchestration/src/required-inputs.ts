import type { RequiredInputs } from '@phaseline/domain';
import type { JobRequest } from './job-request.js';
import type { MissingInput } from './submit-errors.js';

/** Returns the inputs that an agent requires and a request lacks. */
export function findMissingInputs(
  { documents = 0, instructions = false, parameters = [] }: RequiredInputs,
  request: JobRequest,
): MissingInput[] {
  const missing: MissingInput[] = [];
  const documentCount = request.documents?.length ?? 0;
  if (documentCount < documents)
    missing.push({
      path: 'documents',
      message: `${documents === 1 ? 'a document' : `${documents} documents`} (${documentCount} given)`,
    });
  if (instructions && (request.instructions ?? '').trim() === '')
    missing.push({ path: 'instructions', message: 'instructions that say what to do' });
  for (const name of parameters)
    if (!Object.hasOwn(request.parameters ?? {}, name))
      missing.push({ path: `parameters.${name}`, message: `the parameter "${name}"` });
  return missing;
}
