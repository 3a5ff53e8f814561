import type { SecretStore } from '@phaseline/identity';
import { rememberSecrets } from '@phaseline/service';
import type { ReadJobSecret } from './job-mask.js';

/** Reads secrets of jobs from the store. Their values are masked in the logs of this process from then on. */
export function createJobSecretReader(secrets: Pick<SecretStore, 'readForRepository'>): ReadJobSecret {
  return async ({ submitted, definition }, name) => {
    const scope = { tenant: submitted.tenant, agent: definition.agent.name };
    const found = await secrets.readForRepository(scope, name);
    if (found) rememberSecrets([found.value]);
    return found;
  };
}
