import { SecretMissing, type SecretStore } from '@phaseline/identity';
import { rememberSecrets } from '@phaseline/service';
import type { ReadJobSecret } from './job-mask.js';

/** Reads secrets of jobs from the store. Their values are masked in the logs of this process from then on. */
export function createJobSecretReader(secrets: SecretStore): ReadJobSecret {
  return async ({ submitted, definition }, name) => {
    try {
      const values = await secrets.read({ tenant: submitted.tenant, agent: definition.agent.name }, [name]);
      rememberSecrets(Object.values(values));
      return values[name];
    } catch (error) {
      if (error instanceof SecretMissing) return undefined;
      throw error;
    }
  };
}
