import { listConversation } from '@phaseline/context';
import type { JobId } from '@phaseline/contracts';
import { JobRepository } from '@phaseline/repository';
import { runToolRunner } from '@phaseline/workers';
import { createExecutedPacks } from './executed-packs.js';
import { MirrorKeeper } from './mirror-keeper.js';
import { HeadRecorder } from './repositories/head-recorder.js';
import { createJobSecretReader } from './repositories/job-secrets.js';
import { PullRequestCalls } from './repositories/pull-request-calls.js';
import { RepositoryWorker } from './repositories/repository-worker.js';
import { getSandbox, SandboxProbe } from './sandbox-probe.js';
import { createOwnerReader } from './read-plan-owner.js';
import { createPackHost } from './storing-packs.js';
import { toolRunnerConfig } from './tool-runner-config.js';
import { createVerifierReader } from './verification/job-verifiers.js';
import { createWorkNeeds } from './work-needs.js';

await runToolRunner({
  config: toolRunnerConfig,
  createPacks: (config, process) => {
    const { database, store, secrets, logger } = process;
    const repository = new JobRepository(store);
    const work = createWorkNeeds(repository, logger);
    const pullRequests = new PullRequestCalls({ ...process, repository });
    const heads = new HeadRecorder({ ...process, repository, readSecret: createJobSecretReader(secrets) });
    const readVerifier = createVerifierReader(repository, store.blobs);
    const guards = {
      readPhase: (jobId: JobId, phase: number) => repository.loadPhase(jobId, phase),
      listMessages: listConversation,
    };
    const host = createPackHost(database, store);
    const onProblem = (error: unknown): void =>
      logger.warn(
        { error },
        'the server of embeddings did not answer; learning traces are searched by words alone for 30 seconds',
      );
    const hosts = { pullRequests, findPlanOwner: createOwnerReader(repository), work, readVerifier, guards, onProblem };
    return {
      ...createExecutedPacks(config, host, getSandbox(config), hosts),
      callEnds: heads,
    };
  },
  providers: [MirrorKeeper, RepositoryWorker, SandboxProbe],
});
