import { join } from 'node:path';
import { PhaselineClient } from '@phaseline/client';
import { migrate } from '@phaseline/event-store';
import { startPostgres, startRedis, superviseServices, type ServiceSpec } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';
import { startRehearsalServer, type RehearsalPolicy } from '@phaseline/rehearsal';
import { describeServices } from './describe-services.js';

export interface DeployedStackOptions {
  /** For the data of the servers, workspaces and logs. */
  readonly folder: string;
  readonly backend: 'postgres' | 'redis';
  readonly agentsFolder: string;
  readonly workflowsFolder: string;
  /** What the model answers. */
  readonly policies: readonly RehearsalPolicy[];
  /** Files of the programs that run instead of those that are deployed, by the name of the service. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Settings of all services in addition to those of a deployment on one machine. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A process of the stack. */
interface StackProcess {
  readonly name: string;
  readonly pid: number;
}

export interface DeployedStack {
  /** URL of the database with the rights of a service. */
  readonly databaseUrl: string;
  readonly client: PhaselineClient;
  /** Returns the services that run at the moment. One that is being restarted is missing. */
  processes(): readonly StackProcess[];
  /** Kills a service with SIGKILL. It is restarted. */
  kill(service: string): void;
  /** Stops everything that was started, last first. */
  stop(): Promise<void>;
}

const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts Phaseline as it is deployed: PostgreSQL that flushes to disk, Redis where the queues are in it, a model server in this process, and the
 * four services, each in a process of its own.
 * @throws LocalStackError, ServiceFailed; everything is stopped then
 */
export async function startDeployedStack(options: DeployedStackOptions): Promise<DeployedStack> {
  const { folder, backend } = options;
  await using closing = new AsyncDisposableStack();
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
  closing.defer(() => postgres.stop());
  const redis = backend === 'redis' ? await startRedis({ dataDir: join(folder, 'redis') }) : undefined;
  closing.defer(async () => redis?.stop());
  await migrate(postgres.ownerUrl);
  await migrateQueues(postgres.ownerUrl);
  const model = await startRehearsalServer({ policies: options.policies });
  closing.defer(() => model.close());
  const described = await describeServices({ databaseUrl: postgres.serviceUrl, redisUrl: redis?.url, folder });
  const services = described.map((service) => configureService(service, model.baseUrl, options));
  const supervision = await superviseServices(services, { logDirectory: join(folder, 'logs') });
  closing.defer(() => supervision.stop(STOP_TIMEOUT_MS));
  const orchestrator = services.find(({ name }) => name === 'orchestrator')!;
  const started = closing.move();
  return {
    databaseUrl: postgres.serviceUrl,
    client: new PhaselineClient({ baseUrl: new URL(orchestrator.healthUrl).origin }),
    processes: () => supervision.status().flatMap(({ name, pid }) => (pid === undefined ? [] : [{ name, pid }])),
    kill: (service) => void supervision.kill(service),
    stop: () => started.disposeAsync(),
  };
}

/** Points a service to the agents and the model, and to the program that runs instead of its own, if there is one. */
function configureService(service: ServiceSpec, modelUrl: string, options: DeployedStackOptions): ServiceSpec {
  const program = options.programs?.[service.name];
  return {
    ...service,
    args: program === undefined ? service.args : [program],
    env: {
      ...service.env,
      PHASELINE_AGENTS_DIR: options.agentsFolder,
      PHASELINE_WORKFLOWS_DIR: options.workflowsFolder,
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'no-key-needed',
      PHASELINE_DEFAULT_MODEL_PROFILE: 'rehearsal',
      ...options.settings,
    },
  };
}
