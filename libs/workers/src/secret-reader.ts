import { ToolError, type JobId } from '@phaseline/contracts';
import { isUnreachable } from '@phaseline/event-store';
import { SecretMissing, SecretsUnavailable, type SecretStore } from '@phaseline/identity';
import type { JobRepository } from '@phaseline/repository';
import { rememberSecrets } from '@phaseline/service';

/** Creates a function that reads the secrets of a job's tenant for a tool call. Their values are kept out of the logs of this process. */
export function createSecretReader(secrets: Pick<SecretStore, 'read'>, repository: Pick<JobRepository, 'loadJob'>) {
  return async (jobId: JobId, agent: string, names: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    try {
      const job = await repository.loadJob(jobId);
      if (!job) throw new ToolError('no_job', `The log has no job ${jobId}. Tell the operator.`);
      const values = await secrets.read({ tenant: job.submitted.tenant, agent }, names);
      rememberSecrets(Object.values(values));
      return values;
    } catch (error) {
      if (error instanceof SecretMissing)
        throw new ToolError(
          'secret_missing',
          `This tool needs the secret ${error.secret}: ${error.message}. An operator must store it: phaseline secrets set ${error.secret} --tenant ${error.tenant}`,
        );
      if (error instanceof SecretsUnavailable)
        throw new ToolError('secrets_unavailable', `This tool needs a secret: ${error.message}. Tell the operator.`);
      if (isUnreachable(error))
        throw new ToolError('database_unavailable', 'The database did not respond. Try again later.', {
          retryable: true,
          cause: error,
        });
      throw error;
    }
  };
}
