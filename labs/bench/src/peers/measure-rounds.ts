import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { percentile } from '@phaseline/harness';
import { PEERS_FOLDER } from './install-peers.js';
import { parsePhaseline, SYSTEM_TITLES, type PeerRow, type SystemFigures, type SystemName } from './measured-system.js';
import { runSystemProgram } from './run-program.js';

export interface RoundsOptions {
  /** URL of the server as superuser: each peer gets a database of its own. */
  readonly superuserUrl: string;
  /** URL of the database of Phaseline with the rights of a service. */
  readonly serviceUrl: string;
  /** Without it, systems that need Redis are left out. */
  readonly redisUrl: string | undefined;
  readonly folder: string;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly note: (line: string) => void;
}

/** Until then, a program runs code that is not compiled yet: with a warm-up of 40 steps, the gap of Phaseline at one job was twice as long. */
const WARM_UP_SECONDS = 8;
const DEPLOYED_PROGRAM = fileURLToPath(new URL('./deployed/deployed-program.js', import.meta.url));
const SYSTEM_PROGRAM = fileURLToPath(new URL('./system-program.js', import.meta.url));

/**
 * Runs the same jobs on every system, one system after the other, in several rounds. The order of the systems is another one in each round,
 * so that none of them always follows the same one.
 */
export async function measureRounds(options: RoundsOptions): Promise<PeerRow[]> {
  const { rounds, isQuick, redisUrl, note } = options;
  const names = (Object.keys(SYSTEM_TITLES) as SystemName[]).filter(
    (name) => redisUrl !== undefined || !name.endsWith('-redis'),
  );
  const loads = [
    { jobs: 1, stepsPerJob: isQuick ? 60 : 300 },
    { jobs: 32, stepsPerJob: isQuick ? 10 : 100 },
  ];
  const figures = new Map<string, SystemFigures[]>();
  for (let round = 0; round < rounds; round += 1)
    for (const load of loads)
      for (const index of names.keys()) {
        const name = names[(index + round) % names.length]!;
        note(
          `round ${round + 1} of ${rounds}: ${SYSTEM_TITLES[name]}, ${load.jobs} ${load.jobs === 1 ? 'job' : 'jobs'} …`,
        );
        const key = `${name} ${load.jobs}`;
        const own = await measureOnce(name, load, options);
        note(`  ${Math.round(own.stepsPerSecond)} steps/s, p50 ${own.p50Ms.toFixed(2)} ms`);
        figures.set(key, [...(figures.get(key) ?? []), own]);
      }
  return loads.flatMap(({ jobs, stepsPerJob }) =>
    names.map((system) => {
      const own = figures.get(`${system} ${jobs}`)!;
      return {
        ...{ system, jobs, stepsPerJob, rounds: own },
        stepsPerSecond: percentile(
          own.map((one) => one.stepsPerSecond),
          0.5,
        ),
        p50Ms: percentile(
          own.map((one) => one.p50Ms),
          0.5,
        ),
      };
    }),
  );
}

async function measureOnce(
  name: SystemName,
  load: { readonly jobs: number; readonly stepsPerJob: number },
  { superuserUrl, serviceUrl, redisUrl, folder, isQuick }: RoundsOptions,
): Promise<SystemFigures> {
  const common = { ...load, warmUpSeconds: isQuick ? 1 : WARM_UP_SECONDS };
  const phaseline = parsePhaseline(name);
  if (phaseline && !phaseline.isDeployed) {
    const { lane, backend } = phaseline;
    const config = backend === 'redis' ? { backend, url: redisUrl } : { backend, connectionString: serviceUrl };
    return runSystemProgram(SYSTEM_PROGRAM, {
      ...{ ...common, databaseUrl: serviceUrl },
      phaseline: { lane, backend: config },
    });
  }
  const own = join(folder, name);
  await mkdir(own, { recursive: true });
  try {
    if (phaseline) return await runSystemProgram(DEPLOYED_PROGRAM, { ...common, ...phaseline, folder: own });
    const program = name === 'floor' ? SYSTEM_PROGRAM : join(PEERS_FOLDER, `${name}.mjs`);
    return await withDatabase(superuserUrl, `bench_${name}`, (databaseUrl) =>
      runSystemProgram(program, { ...common, databaseUrl, folder: own }),
    );
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

/** Creates an empty database for a function and drops it afterwards. */
async function withDatabase<Result>(
  superuserUrl: string,
  name: string,
  use: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
    const url = new URL(superuserUrl);
    url.pathname = `/${name}`;
    return await use(url.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
    await client.end();
  }
}
