import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, verifyChain } from '@phaseline/event-store';
import { checkReadModels, projectionLag, type CheckReport } from '@phaseline/projections';
import { judgeSoak, type SoakVerdict } from './judge-soak.js';
import { WRITER_NAME, writeElsewhere, writeHere } from './run-writer.js';
import { ComingAndGoing, tailHere, tailProcess } from './soak-processes.js';
import type { WriterFigures } from './writer.js';

type Pool = ReturnType<typeof createPool>;

export interface SoakOptions {
  /** As a service connects; it may end the connections of its own login. */
  readonly databaseUrl: string;
  /** Of all writers together; default 1,000,000. */
  readonly commands?: number;
  /** Default 8. */
  readonly writers?: number;
  /** Writers and readers of the tail are processes, and readers are killed; else all of them run in this one. Default true. */
  readonly processes?: boolean;
  readonly seed?: number;
  /** How often a connection of a writer is cut, in milliseconds; default 1,500. */
  readonly cutEveryMs?: number;
  /** How often a replica of the tail is ended, in milliseconds; default 4,000. */
  readonly replaceEveryMs?: number;
  readonly onProgress?: (progress: SoakProgress) => void;
}

export interface SoakProgress {
  readonly stage: 'writing' | 'catching up' | 'judging';
  readonly done: number;
  readonly of: number;
}

export interface SoakReport {
  readonly holds: boolean;
  readonly seed: number;
  readonly commands: number;
  readonly writers: number;
  readonly secondsOfWriting: number;
  /** Appends that were acknowledged, repeated, refused (by code) and left open. */
  readonly figures: Omit<WriterFigures, 'wrong'>;
  readonly connectionsCut: number;
  readonly tailsKilled: number;
  readonly tailsEnded: number;
  readonly verdict: SoakVerdict;
  readonly chainProblems: number;
  readonly readModels: CheckReport;
  readonly problems: readonly string[];
}

/** Commands of all writers together that one job gets. */
const COMMANDS_PER_JOB = 200;
const TAILS = 2;

/**
 * Drawn commands from many processes at once on the same jobs, while connections are cut and the replicas that keep the read
 * models come and go; then holds the log against what the writers were told, and the read models against the fold.
 */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const {
    databaseUrl,
    commands = 1_000_000,
    writers = 8,
    seed = 1,
    cutEveryMs = 1_500,
    replaceEveryMs = 4_000,
    processes = true,
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-soak-'));
  const pool = createPool(databaseUrl, { max: 6, applicationName: 'soak' });
  const tails = new ComingAndGoing(() => (processes ? tailProcess : tailHere)(databaseUrl));
  const trouble = new AbortController();
  try {
    await tails.begin(TAILS);
    const began = performance.now();
    const done = Array.from({ length: writers }, () => 0);
    const each = Math.ceil(commands / writers);
    const running = Promise.all(
      done.map((_, writer) =>
        (processes ? writeElsewhere : writeHere)({
          databaseUrl,
          seed,
          writer,
          commands: each,
          commandsPerJob: Math.max(1, Math.round(COMMANDS_PER_JOB / writers)),
          // Half of them do not wait, and so never learn what became of an append whose connection was cut.
          patienceMs: writer % 2 === 0 ? 10_000 : 0,
          journal: join(folder, `journal-${writer}`),
          onProgress: (count) => {
            done[writer] = count;
            const sum = done.reduce((total, one) => total + one, 0);
            options.onProgress?.({ stage: 'writing', done: sum, of: each * writers });
          },
        }),
      ),
    );
    const cutting = cutConnections(pool, cutEveryMs, trouble.signal);
    const replacing = every(replaceEveryMs, trouble.signal, (round) => tails.replaceOne(round % 3 !== 2));
    const results = await running.finally(() => trouble.abort());
    const secondsOfWriting = (performance.now() - began) / 1_000;
    const connectionsCut = await cutting;
    await replacing;

    await catchUp(pool, options.onProgress);
    await tails.stop();
    options.onProgress?.({ stage: 'judging', done: 0, of: 1 });
    const told = results.map(({ figures }) => figures);
    const verdict = await judgeSoak(
      pool,
      seed,
      results.map(({ journal }) => journal),
    );
    const chain = await verifyChain(pool);
    const readModels = await checkReadModels(pool);
    const problems = [...told.flatMap(({ wrong }) => wrong), ...verdict.problems].slice(0, 40);
    return {
      holds:
        verdict.acknowledgedEvents > 0 &&
        problems.length === 0 &&
        verdict.problemCount === 0 &&
        chain.problemCount === 0 &&
        readModels.holds,
      seed,
      commands: each * writers,
      writers,
      secondsOfWriting,
      figures: sumOf(told),
      connectionsCut,
      tailsKilled: tails.killed,
      tailsEnded: tails.told,
      verdict,
      chainProblems: chain.problemCount,
      readModels,
      problems,
    };
  } finally {
    trouble.abort();
    await tails.stop();
    await pool.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Cuts a connection of some writer now and then, in the middle of whatever it does. Returns how many it were. */
async function cutConnections(pool: Pool, everyMs: number, signal: AbortSignal): Promise<number> {
  let cut = 0;
  await every(everyMs, signal, async () => {
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM (
         SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = '${WRITER_NAME}' AND state = 'active'
         ORDER BY random() LIMIT 1
       ) AS unlucky`,
    );
    cut += rowCount ?? 0;
  });
  return cut;
}

async function every(ms: number, signal: AbortSignal, act: (round: number) => unknown): Promise<void> {
  for (let round = 0; ; round += 1) {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await act(round);
  }
}

/** Waits until the replicas have read what there is. */
async function catchUp(pool: Pool, onProgress: SoakOptions['onProgress']): Promise<void> {
  let most = 0;
  for (;;) {
    const { events } = await projectionLag(pool);
    most = Math.max(most, events);
    onProgress?.({ stage: 'catching up', done: most - events, of: most });
    if (events === 0) return;
    await sleep(250);
  }
}

function sumOf(told: readonly WriterFigures[]): SoakReport['figures'] {
  const refused: Record<string, number> = {};
  for (const figures of told)
    for (const [code, count] of Object.entries(figures.refused)) refused[code] = (refused[code] ?? 0) + count;
  const sum = (count: (figures: WriterFigures) => number): number => told.reduce((total, one) => total + count(one), 0);
  return {
    acknowledged: sum(({ acknowledged }) => acknowledged),
    repeated: sum(({ repeated }) => repeated),
    unknown: sum(({ unknown }) => unknown),
    refused,
  };
}
