import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { getRepositoryHost, toolSettingsSchema, type JobId, type Message, type Sender } from '@phaseline/contracts';
import { redactEvent } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { createThreePhasePolicy, Engine, type Policy, type Reply } from '@phaseline/harness';
import { createCommandsPack, createRepositoryPack, DiskFolders } from '@phaseline/remote-packs';
import { JobRepository } from '@phaseline/repository';
import { Sandbox } from '@phaseline/sandbox';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import type { Pool } from 'pg';
import { HeadRecorder } from '../../apps/tool-runner/src/repositories/head-recorder.js';
import type { ReadJobSecret } from '../../apps/tool-runner/src/repositories/job-mask.js';
import { RepositoryFolders } from '../../apps/tool-runner/src/repositories/mirrors.js';
import { PullRequestCalls } from '../../apps/tool-runner/src/repositories/pull-request-calls.js';
import { RepositoryWork } from '../../apps/tool-runner/src/repositories/repository-work.js';
import { toolRunnerConfig, type ToolRunnerConfig } from '../../apps/tool-runner/src/tool-runner-config.js';

/** Value of the secret TOKEN of every tenant. */
export const TOKEN = 'tok-4711-secret';

/** Runs git as a person would, without the settings of the machine. */
export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C.UTF-8' },
  });
}

interface BenchOptions {
  readonly sandbox?: ConstructorParameters<typeof Sandbox>[0];
}

/** Jobs with repositories on a real log: the engine, and the work of a tool-runner for the messages that it sends. */
export class RepositoryBench {
  readonly store: EventStore;
  readonly repository: JobRepository;
  readonly folders: RepositoryFolders;
  private readonly work = new Set<Promise<void>>();
  /** While false, messages to the tool-runner are lost. */
  isDelivering = true;
  /** While false, tool-runners stop before they record the head of a repository. */
  isRecordingHeads = true;
  /** Hosts for which the secret TOKEN is stored; undefined: the host of each repository. */
  tokenHosts: readonly string[] | undefined;
  private readonly readSecret: ReadJobSecret = async ({ submitted }, name) => {
    const { url } = submitted.repository!;
    const repositoryHosts = this.tokenHosts ?? (url === undefined ? [] : [getRepositoryHost(url)]);
    return name === 'TOKEN' ? { value: TOKEN, repositoryHosts } : undefined;
  };

  private constructor(
    private readonly database: TestDatabase,
    readonly pool: Pool,
    readonly root: string,
    private readonly options: BenchOptions,
  ) {
    this.store = new EventStore(pool, {
      encryption: { masterKeys: MasterKeys.parse(MasterKeys.generate()), redact: redactEvent, keyCacheMs: 0 },
    });
    this.repository = new JobRepository(this.store);
    this.folders = new RepositoryFolders(join(root, 'repositories'));
  }

  static async open(options: BenchOptions = {}): Promise<RepositoryBench> {
    const database = await createTestDatabase();
    const root = mkdtempSync(join(tmpdir(), 'phaseline-repositories-'));
    return new RepositoryBench(database, createPool(database.serviceUrl, { max: 8 }), root, options);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.work);
    await this.pool.end();
    await this.database.drop();
    await rm(this.root, { recursive: true, force: true });
  }

  get ownerUrl(): string {
    return this.database.ownerUrl;
  }

  /** Creates a bare repository with one commit on `main`, at `<root>/<name>`. */
  async createOrigin(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const work = join(this.root, 'work', name);
    await mkdir(work, { recursive: true });
    git(work, 'init', '--quiet', '--initial-branch=main');
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(work, path)), { recursive: true });
      await writeFile(join(work, path), content);
    }
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '-m', 'first');
    const origin = join(this.root, name);
    git(this.root, 'clone', '--quiet', '--bare', work, origin);
    return origin;
  }

  /** Reads the settings of a tool-runner. */
  parseConfig(env: Readonly<Record<string, string>> = {}): ToolRunnerConfig {
    return toolRunnerConfig.parse({
      DATABASE_URL: this.database.serviceUrl,
      PHASELINE_REPOSITORY_ROOTS: this.root,
      PHASELINE_REPOSITORY_PUSH_ROOTS: this.root,
      PHASELINE_REPOSITORY_PROTOCOLS: 'http',
      PHASELINE_ALLOWED_PRIVATE_NETWORKS: '127.0.0.0/8',
      ...env,
    });
  }

  /** Creates the work of a tool-runner. */
  createWork(env: Readonly<Record<string, string>> = {}, store: EventStore = this.store): RepositoryWork {
    const config = this.parseConfig(env);
    const { repository, folders } = this;
    return new RepositoryWork({
      ...{ processId: 'runner', store, repository, folders, config, now: () => new Date() },
      readSecret: this.readSecret,
    });
  }

  /** Creates what a tool-runner records heads with. */
  createHeadRecorder(): HeadRecorder {
    const { store, repository } = this;
    return new HeadRecorder({ processId: 'runner', store, repository, readSecret: this.readSecret });
  }

  /** Creates an engine whose agent may run commands and open pull requests. */
  createEngine(work: Policy | readonly Reply[], env: Readonly<Record<string, string>> = {}, plan?: Reply): Engine {
    const { store, repository } = this;
    const runner = this.createWork(env);
    const run = ({ jobId, work: name }: { readonly jobId: JobId; readonly work: string }): void => {
      if (!this.isDelivering) return;
      const running = runner.run(jobId, name, new AbortController().signal).finally(() => this.work.delete(running));
      this.work.add(running);
      running.catch(() => undefined);
    };
    const sender: Sender = { send: async (_queue, payload) => run(payload as never) };
    const heads = this.createHeadRecorder();
    const sandbox = new Sandbox(this.options.sandbox ?? { mode: 'auto' });
    return new Engine({
      store,
      policy: createThreePhasePolicy(work, plan),
      packs: [
        createCommandsPack({ folders: new DiskFolders(join(this.root, 'commands')), sandbox }),
        createRepositoryPack(new PullRequestCalls({ processId: 'runner', store, repository, sender })),
      ],
      agent: {
        displayName: 'Coder',
        tools: {
          workspace: ['write_file'],
          strategic: ['todo_write', 'todo_complete', 'job_complete'],
          tactical: ['todo_complete'],
          domain: ['run_command', 'open_pull_request'],
        },
        settings: toolSettingsSchema.parse({ commands: { shell: true, timeoutMs: 60_000 } }),
      },
      callEnds: {
        concerns: (state) => this.isRecordingHeads && heads.concerns(state),
        record: (state, callId) => heads.record(state, callId),
      },
      onSend: (message) => {
        if ((message.queue as Message['queue']) !== 'repositories') return true;
        run(message.payload as never);
        return false;
      },
    });
  }

  /** Runs a job until neither the engine nor the tool-runner has anything to do. */
  async play(engine: Engine, jobId: JobId): Promise<void> {
    do {
      await Promise.allSettled(this.work);
      await engine.run(jobId);
    } while (this.work.size > 0);
  }

  /** Returns type and data of all events of a job. */
  async readEvents(
    jobId: JobId,
  ): Promise<readonly { readonly type: string; readonly data: Record<string, unknown> }[]> {
    return (await this.store.readCorrelation(jobId)).map(({ type, data }) => ({
      type,
      data: data as Record<string, unknown>,
    }));
  }

  async eventsOf(jobId: JobId, type: string): Promise<readonly Record<string, unknown>[]> {
    return (await this.readEvents(jobId)).filter((event) => event.type === type).map(({ data }) => data);
  }
}
