import { hasJobEnded } from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import type { Logger } from 'pino';
import type { WorkFoldersOptions } from './work-folders.js';

const JOB_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Decides from the log which working folders jobs need, and logs what was removed. */
export function createWorkNeeds(
  repository: JobRepository,
  logger: Logger,
): Pick<WorkFoldersOptions, 'readNeed' | 'onSwept'> {
  return {
    readNeed: async (jobId) => {
      const job = JOB_ID.test(jobId) ? await repository.loadJob(jobId) : undefined;
      // A job that is not in this log may be open in another.
      if (!job) return 'unknown';
      return hasJobEnded(job) ? 'ended' : { phase: job.active?.phase ?? job.phases };
    },
    onSwept: (swept) => {
      if ('error' in swept) logger.warn({ error: swept.error }, 'old working folders could not be removed');
      else logger.info(swept, 'working folders of ended jobs and phases were removed');
    },
  };
}
