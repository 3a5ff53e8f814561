import type { RepositoryRequest } from '@phaseline/contracts';
import type { SecretNames } from './ports.js';
import type { MissingInput } from './submit-errors.js';

/**
 * Returns the secret that a request names for its repository and an agent of a tenant does not have; undefined if nothing is missing. The
 * import would fail for lack of it, after the job was accepted.
 */
export async function findMissingRepositorySecret(
  { secret }: RepositoryRequest,
  scope: { readonly tenant: string; readonly agent: string },
  secrets: SecretNames,
): Promise<MissingInput | undefined> {
  if (secret === undefined || (await secrets.findMissing(scope, [secret])).length === 0) return undefined;
  return {
    path: 'repository.secret',
    message: `the secret ${secret} for its repository, which the tenant ${scope.tenant} does not have for this agent (an operator can store it: phaseline secrets set ${secret} --tenant ${scope.tenant})`,
  };
}
