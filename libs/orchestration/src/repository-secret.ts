import { getRepositoryHost, type RepositoryRequest } from '@phaseline/contracts';
import type { SecretNames } from './ports.js';
import type { MissingInput } from './submit-errors.js';

/**
 * Returns what a request lacks to use the secret that it names for its repository: a secret that the agent may use, and that was stored for
 * the host of the repository. Returns undefined if nothing is missing. The import checks this again; here, it would be known too late.
 */
export async function findMissingRepositorySecret(
  { secret, url }: RepositoryRequest,
  scope: { readonly tenant: string; readonly agent: string },
  secrets: SecretNames,
): Promise<MissingInput | undefined> {
  if (secret === undefined) return undefined;
  const found = await secrets.findForRepository(scope, secret);
  const host = url === undefined ? undefined : getRepositoryHost(url);
  const command = [
    `phaseline secrets set ${secret} --tenant ${scope.tenant}`,
    ...(found?.agent === undefined ? [] : [`--agent ${found.agent}`]),
    ...(host === undefined ? [] : [`--repository-host ${host}`]),
  ].join(' ');
  if (!found)
    return {
      path: 'repository.secret',
      message: `the secret ${secret} for its repository, which the tenant ${scope.tenant} does not have for this agent (an operator can store it: ${command})`,
    };
  // Anyone who may submit jobs chooses the URL, so the URL must not decide where a secret is sent.
  if (host === undefined || found.repositoryHosts.includes(host)) return undefined;
  return {
    path: 'repository.secret',
    message: `the secret ${secret} for its repository on ${host}, and the secret was not stored for this host (an operator can store it again for all its hosts: ${command})`,
  };
}
