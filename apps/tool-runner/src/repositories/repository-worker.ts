import { resolve } from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ProcessRegistry } from '@phaseline/cluster';
import { EventStore } from '@phaseline/event-store';
import { SecretStore } from '@phaseline/identity';
import { Queues } from '@phaseline/queue';
import { isUsableGit, MIN_GIT_VERSION } from '@phaseline/contracts';
import { JobRepository, runOrLeaveToNewerRelease, withholdContent } from '@phaseline/repository';
import { InjectConfig, InjectIdentity, InjectLogger, Progress, type ServiceIdentity } from '@phaseline/service';
import type { Logger } from 'pino';
import type { ToolRunnerConfig } from '../tool-runner-config.js';
import { createJobSecretReader } from './job-secrets.js';
import { RepositoryFolders } from './mirrors.js';
import { readGitVersion } from './run-git.js';
import { RepositoryWork } from './repository-work.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;

/** Does the work of the messages on the queue `repositories`. */
@Injectable()
export class RepositoryWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly work: RepositoryWork;
  private readonly folders: RepositoryFolders;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @InjectConfig() private readonly config: ToolRunnerConfig,
    @InjectIdentity() { processId }: ServiceIdentity,
    @InjectLogger() private readonly logger: Logger,
    private readonly queues: Queues,
    private readonly progress: Progress,
    private readonly processes: ProcessRegistry,
    store: EventStore,
    secrets: SecretStore,
  ) {
    this.folders = new RepositoryFolders(resolve(config.PHASELINE_REPOSITORIES_DIR));
    const repository = new JobRepository(store);
    const readSecret = createJobSecretReader(secrets);
    const now = (): Date => processes.clock.now();
    this.work = new RepositoryWork({ processId, store, repository, folders: this.folders, config, now, readSecret });
  }

  async onApplicationBootstrap(): Promise<void> {
    const version = await readGitVersion();
    this.processes.setAbility('git', version);
    if (!isUsableGit(version))
      this.logger.warn(
        { found: version || 'none', needed: MIN_GIT_VERSION },
        'jobs with a repository cannot run here, because git is missing or too old',
      );
    await this.folders
      .sweep(Date.now())
      .catch((error: unknown) =>
        this.logger.warn({ error }, 'old temporary folders of repositories could not be removed'),
      );
    await this.sweepMirrors();
    this.timer = setInterval(() => void this.sweepMirrors(), SWEEP_INTERVAL_MS).unref();
    await this.queues.work('repositories', ({ jobId, work }, { signal }) =>
      runOrLeaveToNewerRelease(
        () =>
          withholdContent(jobId, async () => {
            try {
              await this.progress.run(`repository of job ${jobId}`, () =>
                this.progress.runPart('runs git', this.config.PHASELINE_REPOSITORY_TIMEOUT_MS, () =>
                  this.work.run(jobId, work, signal),
                ),
              );
              return undefined;
            } catch (error) {
              // This process is shutting down, so another may take the work immediately.
              if (signal.aborted) return { retryAt: Date.now() };
              throw error;
            }
          }),
        (error) => this.logger.warn({ error, jobId }, 'left the repository of a job to processes of a newer release'),
      ),
    );
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Removes mirrors that were not used for a while. A failure is no problem: the next sweep tries again. */
  private async sweepMirrors(): Promise<void> {
    const keepMs = this.config.PHASELINE_REPOSITORY_MIRROR_DAYS * DAY_MS;
    try {
      const mirrors = await this.folders.sweepMirrors(Date.now(), keepMs);
      if (mirrors > 0) this.logger.info({ mirrors }, 'mirrors of repositories that were not used were removed');
    } catch (error) {
      this.logger.warn({ error }, 'mirrors of repositories that are not used could not be removed');
    }
  }
}
