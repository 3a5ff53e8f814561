/**
 * Runs jobs on Phaseline as it is deployed: PostgreSQL, Redis where the queues are in it, a model server, and the four services, each in a
 * process of its own. Jobs are submitted over HTTP. Its argument is a JSON of `DeployedOptions`; it prints a JSON of `SystemFigures`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JobId, ToolLane } from '@phaseline/contracts';
import { jobStream } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { percentile, startDeployedStack } from '@phaseline/harness';
import { requireCompleted } from '../../require-completed.js';
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
  const folders = await writeBenchAgents(folder, agents, stepsPerJob + 10);
  const stack = await startDeployedStack({
    ...{ folder, backend, ...folders },
    policies: [createStepPolicy(lane, stepsPerJob, gaps)],
    programs: Object.fromEntries(OWN_PROGRAMS.map((name) => [name, findProgram(name)])),
  });
  const { client } = stack;
  const pool = createPool(stack.databaseUrl, { max: 2, applicationName: 'bench' });
  try {
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
    await pool.end();
    await stack.stop();
  }
}

/** Finds the program of a service that also has the tool of the benchmark. */
function findProgram(service: string): string {
  return fileURLToPath(new URL(`./${service}-program.js`, import.meta.url));
}

/** Reads only the few events of the jobs' own streams: it is repeated while the steps are measured. */
async function countEnded(pool: ReturnType<typeof createPool>, ids: readonly JobId[]): Promise<number> {
  const { rows } = await pool.query<{ ended: string }>(
    `SELECT count(*) AS ended FROM phaseline.events WHERE stream_id = ANY($1) AND type IN ('JobCompleted', 'JobFailed')`,
    [ids.map(jobStream)],
  );
  return Number(rows[0]!.ended);
}
