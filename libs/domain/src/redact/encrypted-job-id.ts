import type { JobId } from '@phaseline/contracts';

const UUID_VERSION_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Whether a job is encrypted: its content is stored under its own key. The id alone shows this, so that other jobs need no
 * lookup: ids of encrypted jobs are UUIDs of version 8, all others of version 4 or 5.
 */
export function isEncryptedJob(jobId: JobId): boolean {
  // Fast check that decides for nearly every id.
  return jobId.charCodeAt(14) === 0x38 && UUID_VERSION_8.test(jobId);
}
