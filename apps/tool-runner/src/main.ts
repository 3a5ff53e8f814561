import type { JobId } from '@phaseline/contracts';
import { hasJobEnded } from '@phaseline/domain';
import { JobRepository } from '@phaseline/repository';
import { runToolRunner } from '@phaseline/workers';
import { createExecutedPacks } from './executed-packs.js';
import { MirrorKeeper } from './mirror-keeper.js';
import { RepositoryWorker } from './repositories/repository-worker.js';
import { getSandbox, SandboxProbe } from './sandbox-probe.js';
import { createPackHost } from './storing-packs.js';
import { toolRunnerConfig } from './tool-runner-config.js';

await runToolRunner({
  config: toolRunnerConfig,
  createPacks: (config, database, store) => {
    const repository = new JobRepository(store);
    const isJobOpen = async (jobId: JobId): Promise<boolean> => {
      const job = await repository.loadJob(jobId);
      return job !== undefined && !hasJobEnded(job);
    };
    return createExecutedPacks(config, createPackHost(database, store), getSandbox(config), isJobOpen);
  },
  providers: [MirrorKeeper, RepositoryWorker, SandboxProbe],
});
