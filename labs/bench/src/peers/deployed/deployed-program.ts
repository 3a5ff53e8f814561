/**
 * Runs jobs on Phaseline as it is deployed: PostgreSQL, Redis where the queues are in it, a model server, and the four services, each in a
 * process of its own. Jobs are submitted over HTTP. Its argument is a JSON of `DeployedOptions`; it prints a JSON of `SystemFigures`.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PhaselineClient } from '@phaseline/client';
import type { JobId, ToolLane } from '@phaseline/contracts';
import { createPool, migrate } from '@phaseline/event-store';
import { percentile } from '@phaseline/harness';
import { startPostgres, startRedis, superviseServices, type ServiceSpec } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';
import { startRehearsalServer } from '@phaseline/rehearsal';
import { requireCompleted } from '../../require-completed.js';
import { describeServices } from '../../service-bench.js';
import type { SystemFigures } from '../measured-system.js';
import { writeBenchAgents } from './bench-agents.js';
import { createStepPolicy } from './step-policy.js';

interface DeployedOptions {
  readonly folder: string;
  readonly lane: ToolLane;
  readonly backend: 'postgres' | 'redis';
  readonly jobs: number;
  readonly stepsPerJob: number;
  /** For how long such jobs run before, so that the services are warm. */
  readonly warmUpSeconds: number;
}

const OWN_PROGRAMS = ['tactical-worker', 'tool-runner'];
const POLL_MS = 20;

process.stdin.on('end', () => process.exit(1)).resume();
process.stdout.write(`${JSON.stringify(await measure(JSON.parse(process.argv[2] ?? '') as DeployedOptions))}\n`);
process.exit();

async function measure(options: DeployedOptions): Promise<SystemFigures> {
  const { folder, lane, backend, jobs, stepsPerJob, warmUpSeconds } = options;
  const agents = Array.from({ length: jobs }, (_, index) => `bench-${index}`);
  const gaps: number[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
    closing.push(() => postgres.stop());
    const redis = backend === 'redis' ? await startRedis({ dataDir: join(folder, 'redis') }) : undefined;
    closing.push(async () => redis?.stop());
    await migrate(postgres.ownerUrl);
    await migrateQueues(postgres.ownerUrl);
    const model = await startRehearsalServer({ policies: [createStepPolicy(lane, stepsPerJob, gaps)] });
    closing.push(() => model.close());
    const folders = await writeBenchAgents(folder, agents, stepsPerJob + 10);
    const services = (await describeServices({ databaseUrl: postgres.serviceUrl, redisUrl: redis?.url, folder })).map(
      (service) => toBenchService(service, model.baseUrl, folders),
    );
    const supervision = await superviseServices(services, { logDirectory: join(folder, 'logs') });
    closing.push(() => supervision.stop(5_000));
    const orchestrator = services.find(({ name }) => name === 'orchestrator')!;
    const client = new PhaselineClient({ baseUrl: new URL(orchestrator.healthUrl).origin });
    const pool = createPool(postgres.serviceUrl, { max: 2, applicationName: 'bench' });
    closing.push(() => pool.end());

    const run = async (): Promise<JobId[]> => {
      const submitted = await Promise.all(agents.map((agent) => client.submit({ agent })));
      const ids = submitted.map(({ jobId }) => jobId);
      while ((await countEnded(pool, ids)) < ids.length) await sleep(POLL_MS);
      return ids;
    };
    const warm = performance.now() + warmUpSeconds * 1_000;
    while (performance.now() < warm) await run();
    gaps.length = 0;
    const started = performance.now();
    const ids = await run();
    const seconds = (performance.now() - started) / 1_000;
    const { steps } = await requireCompleted(pool, ids);
    return {
      ...{ completedJobs: ids.length, steps, seconds },
      ...{ stepsPerSecond: steps / seconds, p50Ms: percentile(gaps, 0.5) },
    };
  } finally {
    for (const close of closing.reverse()) await close().catch(() => undefined);
  }
}

/** Points a service to the agents and the model, and gives those that run tools that of the benchmark. */
function toBenchService(
  service: ServiceSpec,
  modelUrl: string,
  { agentsFolder, workflowsFolder }: { readonly agentsFolder: string; readonly workflowsFolder: string },
): ServiceSpec {
  const program = fileURLToPath(new URL(`./${service.name}-program.js`, import.meta.url));
  return {
    ...service,
    args: OWN_PROGRAMS.includes(service.name) ? [program] : service.args,
    env: {
      ...service.env,
      PHASELINE_AGENTS_DIR: agentsFolder,
      PHASELINE_WORKFLOWS_DIR: workflowsFolder,
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'no-key-needed',
      PHASELINE_DEFAULT_MODEL_PROFILE: 'rehearsal',
    },
  };
}

async function countEnded(pool: ReturnType<typeof createPool>, ids: readonly JobId[]): Promise<number> {
  const { rows } = await pool.query<{ ended: string }>(
    `SELECT count(*) AS ended FROM phaseline.events
     WHERE correlation_id = ANY($1) AND type IN ('JobCompleted', 'JobFailed')`,
    [ids],
  );
  return Number(rows[0]!.ended);
}
