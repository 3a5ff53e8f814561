/**
 * Does one work on the repository of a job, as a tool-runner, in a process of its own that can be killed at a fault point. Arguments: id
 * of the job, the work, and the settings of a tool-runner as JSON.
 */
import { getRepositoryHost } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import { RepositoryFolders } from '../../apps/tool-runner/src/repositories/mirrors.js';
import { RepositoryWork, type RepositoryWorkParts } from '../../apps/tool-runner/src/repositories/repository-work.js';

const [jobId, work, settings] = process.argv.slice(2) as [string, string, string];
const config = JSON.parse(settings) as RepositoryWorkParts['config'] & {
  readonly DATABASE_URL: string;
  readonly PHASELINE_REPOSITORIES_DIR: string;
};
const pool = createPool(config.DATABASE_URL, { max: 2 });
const store = new EventStore(pool);
const runner = new RepositoryWork({
  ...{ processId: 'killed', store, repository: new JobRepository(store), config, now: () => new Date() },
  folders: new RepositoryFolders(config.PHASELINE_REPOSITORIES_DIR),
  readSecret: async (job) => ({
    value: process.env['TOKEN']!,
    repositoryHosts: [getRepositoryHost(job.submitted.repository!.url!)],
  }),
});
await runner.run(jobId, work, new AbortController().signal);
await pool.end();
