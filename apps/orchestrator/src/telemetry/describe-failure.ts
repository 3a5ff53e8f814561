import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';

/** Returns the message of a failure; none for an encrypted job, because what it quotes could not be erased. */
export function describeFailure(jobId: JobId, message: string): { readonly message?: string } {
  return isEncryptedJob(jobId) ? {} : { message };
}
