import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, superviseServices, type ServiceSpec, type Supervision } from '@phaseline/local-stack';
import { startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { writeDefinitions } from '../agent/chaos-definitions.js';
import type { JobShape } from '../agent/chaos-job.js';
import { createChaosPolicy } from '../agent/chaos-policy.js';
import { ChaosDatabase } from './database.js';
import { programOf, repositoryRoot, type ServiceName, serviceNames } from './programs.js';
import { ChaosRedis } from './redis.js';
import { TcpProxy } from './tcp-proxy.js';

export type QueueBackend = 'postgres' | 'redis';

export interface FleetOptions {
  readonly backend: QueueBackend;
  readonly shape: JobShape;
  /** Replicas of each service. */
  readonly replicas: number;
  /** Latency of the model per answer, in milliseconds. */
  readonly modelMs: number;
  /** Keeps logs and data after the run, for the analysis of a failure. */
  readonly keep?: boolean;
}

/** Maximum time until a service is ready again. */
const READY_TIMEOUT_MS = 120_000;

/** Each half of the replicas reaches the servers through its own proxies, so that the network can fail for one half only. */
export const SIDES = ['a', 'b'] as const;
export type Side = (typeof SIDES)[number];
export type Line = 'database' | 'redis' | 'model';

/** Thrown where no redis-server is installed. */
export class RedisMissing extends Error {
  override readonly name = 'RedisMissing';
}

/** The system under test: servers, proxies, and two or more replicas of each service as separate processes. */
export class Fleet {
  private readonly closeSteps: (() => Promise<unknown>)[] = [];
  readonly proxies = new Map<`${Line}/${Side}`, TcpProxy>();
  readonly apiUrls: string[] = [];
  supervision!: Supervision;
  database!: ChaosDatabase;
  redis: ChaosRedis | undefined;
  private model!: RehearsalServer;

  private constructor(
    readonly folder: string,
    readonly options: FleetOptions,
  ) {}

  /** Starts everything. Throws RedisMissing or the error of the part that failed to start; nothing is left running then. */
  static async start(options: FleetOptions): Promise<Fleet> {
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-chaos-'));
    // As root, PostgreSQL runs as another user, which needs to traverse this folder.
    await chmod(folder, 0o711);
    const fleet = new Fleet(folder, options);
    if (!options.keep) fleet.closeSteps.push(() => rm(folder, { recursive: true, force: true }));
    try {
      await fleet.startServers();
      await fleet.startServices();
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  private get replicas(): readonly number[] {
    return Array.from({ length: this.options.replicas }, (_, index) => index + 1);
  }

  /** Folder from which fault points read their orders. */
  get ordersFolder(): string {
    return join(this.folder, 'orders');
  }

  /** File to which the chaos tools append their effects. */
  get effectsFile(): string {
    return join(this.folder, 'effects.jsonl');
  }

  get logFolder(): string {
    return join(this.folder, 'logs');
  }

  /** Process id of a replica; `undefined` while it does not run. */
  findPid(service: ServiceName, replica: number): number | undefined {
    return this.supervision.status().find(({ name }) => name === `${service}-${replica}`)?.pid;
  }

  /** Waits until all replicas of these services are ready. Throws after a time limit. */
  async waitUntilReady(services: readonly ServiceName[]): Promise<void> {
    const names = new Set(services.flatMap((service) => this.replicas.map((replica) => `${service}-${replica}`)));
    for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(50)) {
      const notReady = this.supervision.status().find(({ name, isReady }) => names.has(name) && !isReady);
      if (!notReady) return;
      if (Date.now() > deadline)
        throw new Error(`${notReady.name} did not become ready again; see ${notReady.logFile}`);
    }
  }

  async close(): Promise<void> {
    for (const step of this.closeSteps.splice(0).reverse()) await step().catch(() => undefined);
  }

  private async startServers(): Promise<void> {
    const { backend, shape, modelMs } = this.options;
    await mkdir(this.ordersFolder, { recursive: true });
    this.database = await ChaosDatabase.start(this.folder);
    this.closeSteps.push(() => this.database.close());
    if (backend === 'redis') {
      this.redis = await ChaosRedis.start(this.folder);
      if (!this.redis) throw new RedisMissing('redis-server is not installed on this machine');
      this.closeSteps.push(async () => this.redis?.stop());
    }
    this.model = await startRehearsalServer({ policies: [createChaosPolicy(shape)], latencyMs: modelMs });
    this.closeSteps.push(() => this.model.close());
    for (const side of SIDES) {
      await this.startProxy('database', side, this.database.port);
      await this.startProxy('model', side, Number(new URL(this.model.baseUrl).port));
      if (this.redis) await this.startProxy('redis', side, this.redis.port);
    }
  }

  private async startProxy(line: Line, side: Side, target: number): Promise<void> {
    const proxy = await TcpProxy.start(target);
    this.proxies.set(`${line}/${side}`, proxy);
    this.closeSteps.push(() => proxy.close());
  }

  private async startServices(): Promise<void> {
    const definitions = await writeDefinitions(this.folder);
    const specs: ServiceSpec[] = [];
    for (const replica of this.replicas)
      for (const service of serviceNames) specs.push(await this.specOf(service, replica, definitions));
    this.supervision = await superviseServices(specs, {
      logDirectory: this.logFolder,
      // This run kills services deliberately.
      policy: { backoff: { firstMs: 100, maxMs: 200 }, maxQuickExits: Infinity, readyTimeoutMs: 120_000 },
    });
    this.closeSteps.push(() => this.supervision.stop(5_000));
  }

  private async specOf(
    service: ServiceName,
    replica: number,
    { agentsDir, workflowsDir }: { agentsDir: string; workflowsDir: string },
  ): Promise<ServiceSpec> {
    const side = SIDES[(replica - 1) % SIDES.length]!;
    const portOf = (line: Line): number => this.proxies.get(`${line}/${side}`)!.port;
    const port = await findFreePort();
    if (service === 'orchestrator') this.apiUrls.push(`http://127.0.0.1:${port}`);
    return {
      name: `${service}-${replica}`,
      command: process.execPath,
      args: [programOf(service)],
      cwd: repositoryRoot,
      healthUrl: `http://127.0.0.1:${port}/ready`,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATABASE_URL: this.database.serviceUrl(portOf('database')),
        PHASELINE_QUEUE_BACKEND: this.options.backend,
        ...(this.redis ? { REDIS_URL: this.redis.url(portOf('redis')) } : {}),
        PORT: String(port),
        PHASELINE_WORKSPACES_DIR: join(this.folder, 'workspaces'),
        PHASELINE_ENV_FILE: 'none',
        PHASELINE_AGENTS_DIR: agentsDir,
        PHASELINE_WORKFLOWS_DIR: workflowsDir,
        OPENAI_BASE_URL: `http://127.0.0.1:${portOf('model')}/v1`,
        OPENAI_API_KEY: 'no-key-needed',
        PHASELINE_DEFAULT_MODEL_PROFILE: 'rehearsal',
        PHASELINE_FAULT_POINTS: `@${this.ordersFolder}`,
        PHASELINE_CHAOS_EFFECTS_FILE: this.effectsFile,
        PHASELINE_CHAOS_WORK_DIR: join(this.folder, 'work'),
        LOG_LEVEL: 'info',
        PHASELINE_SHUTDOWN_TIMEOUT_MS: '3000',
      },
    };
  }
}
