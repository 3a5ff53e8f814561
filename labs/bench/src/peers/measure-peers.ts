import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { appendBench, migrate } from '@phaseline/event-store';
import { findRedisServer, startPostgres, startRedis, type RunningPostgres } from '@phaseline/local-stack';
import { migrateQueues } from '@phaseline/queue';
import { BenchFailed } from '../bench-failed.js';
import { measureFoldOfLongestPhase } from '../fold-bench.js';
import { measureIdle } from '../idle-bench.js';
import { measureServices } from '../service-bench.js';
import { listBusyReasons, measureMachineUse, type MachineUse } from './idle-machine.js';
import { installPeers } from './install-peers.js';
import { measureRounds } from './measure-rounds.js';
import { judgeTargets, type PeerFigures, type Target } from './targets.js';

/*
 * Compares Phaseline with a bare floor, Restate, DBOS and LangGraph on the same work, and judges the targets of Phaseline. Refuses to measure
 * on a machine that is not idle.
 *
 * Options: rounds, and whether to measure on a busy machine.
 */

export interface PeersOptions {
  readonly rounds: number;
  readonly isQuick: boolean;
  /** Measures on a busy machine, too; the report then contains a warning. */
  readonly isForced: boolean;
  readonly note: (line: string) => void;
}

export interface PeersReport extends PeerFigures {
  readonly machineUse: MachineUse;
  readonly targets: readonly Target[];
  /** Why the figures cannot be compared with others; empty if the machine was idle. */
  readonly warnings: readonly string[];
}

/** Measures everything. Throws BenchFailed if the machine is busy, or if a job of any system did not complete with all of its steps. */
export async function measurePeers(options: PeersOptions): Promise<PeersReport> {
  const { isForced, isQuick, note } = options;
  const use = await requireIdleMachine(isForced, note);
  await installPeers(note);
  const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-peers-'));
  try {
    // As root, PostgreSQL runs as another user, which needs to traverse this folder; else its data would be elsewhere, and stay there.
    await chmod(folder, 0o711);
    const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
    try {
      const figures = await measureAll(server, folder, options);
      const warnings = [...use.warnings, ...(isQuick ? ['--quick takes too few steps'] : [])];
      return { ...figures, ...use, warnings, targets: judgeTargets(figures) };
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireIdleMachine(
  isForced: boolean,
  note: (line: string) => void,
): Promise<Pick<PeersReport, 'machineUse' | 'warnings'>> {
  note('checking that the machine is idle …');
  const machineUse = await measureMachineUse();
  const warnings = listBusyReasons(machineUse);
  if (warnings.length > 0 && !isForced)
    throw new BenchFailed(`the machine is busy: ${warnings.join('; ')}. Wait, or measure anyway with --force`);
  for (const warning of warnings) note(`Warning: ${warning}`);
  return { machineUse, warnings };
}

async function measureAll(
  server: RunningPostgres,
  folder: string,
  { rounds, isQuick, note }: PeersOptions,
): Promise<PeerFigures> {
  await migrate(server.ownerUrl);
  await migrateQueues(server.ownerUrl);
  const hasRedis = (await findRedisServer()) !== undefined;
  if (!hasRedis) note('Warning: there is no redis-server, so the targets on Redis are not measured');
  const redis = hasRedis ? await startRedis({ dataDir: join(folder, 'redis') }) : undefined;
  const urls = { superuserUrl: server.superuserUrl!, serviceUrl: server.serviceUrl, redisUrl: redis?.url };
  // While the log is empty: services are ready once their read models contain the log.
  note('measuring the services …');
  const services = await measureServices(server.serviceUrl, folder);
  const rows = await measureRounds({ ...urls, folder, rounds, isQuick, note }).finally(() => redis?.stop());
  note('measuring folds and appends …');
  return {
    ...{ rows, services },
    fold: await measureFoldOfLongestPhase(server.serviceUrl),
    appends: await appendBench({ url: server.ownerUrl, seconds: isQuick ? 2 : 8 }),
    idle: await measureIdle({
      folder,
      backends: hasRedis ? ['postgres', 'redis'] : ['postgres'],
      isQuick,
      note: (what) => note(`measuring ${what} …`),
    }),
  };
}
