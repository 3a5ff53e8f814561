import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, verifyChain } from '@phaseline/event-store';
import { checkReadModels, readProjectionLag, type CheckReport } from '@phaseline/projections';
import { checkSoak, type SoakFindings } from './check-soak.js';
import { WRITER_APPLICATION_NAME, runWriterProcess, runWriter } from './run-writer.js';
import { ReplaceableReplicas, startTailInProcess, startTailProcess } from './soak-processes.js';
import type { WriterFigures } from './writer.js';

type Pool = ReturnType<typeof createPool>;

export interface SoakOptions {
  /** Connection URL of the services' role, which may terminate its own connections. */
  readonly databaseUrl: string;
  /** Commands of all writers together; default 1,000,000. */
  readonly commands?: number;
  /** Number of writers; default 8. */
  readonly writers?: number;
  /** Whether writers and tail replicas are separate processes, and replicas are killed. Default true. */
  readonly processes?: boolean;
  readonly seed?: number;
  /** Interval at which a connection of a writer is cut, in milliseconds; default 1,500. */
  readonly cutEveryMs?: number;
  /** Interval at which a tail replica is replaced, in milliseconds; default 4,000. */
  readonly replaceEveryMs?: number;
  readonly onProgress?: (progress: SoakProgress) => void;
}

export interface SoakProgress {
  readonly stage: 'writing' | 'catching up' | 'judging';
  readonly done: number;
  readonly of: number;
}

export interface SoakReport {
  readonly passed: boolean;
  readonly seed: number;
  readonly commands: number;
  readonly writers: number;
  readonly writingMs: number;
  /** Number of appends that were acknowledged, repeated, refused (by code) and of unknown outcome. */
  readonly figures: Omit<WriterFigures, 'violations'>;
  readonly connectionsCut: number;
  readonly tailsKilled: number;
  readonly tailsEnded: number;
  readonly findings: SoakFindings;
  readonly chainProblems: number;
  readonly readModels: CheckReport;
  readonly problems: readonly string[];
}

/** Commands per job, of all writers together. */
const COMMANDS_PER_JOB = 200;
const TAIL_REPLICAS = 2;

/**
 * Sends random commands from many processes to the same jobs, while connections are cut and the replicas that update the read models are
 * replaced. Then compares the log with the responses of the writers, and the read models with the fold of the log.
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
  const tails = new ReplaceableReplicas(() => (processes ? startTailProcess : startTailInProcess)(databaseUrl));
  const stopFaults = new AbortController();
  try {
    await tails.startReplicas(TAIL_REPLICAS);
    const began = performance.now();
    const done = Array.from({ length: writers }, () => 0);
    const commandsPerWriter = Math.ceil(commands / writers);
    const running = Promise.all(
      done.map((_, writer) =>
        (processes ? runWriterProcess : runWriter)({
          databaseUrl,
          seed,
          writer,
          commands: commandsPerWriter,
          commandsPerJob: Math.max(1, Math.round(COMMANDS_PER_JOB / writers)),
          // Half of the writers do not wait, and so never learn the outcome of an append whose connection was cut.
          retryForMs: writer % 2 === 0 ? 10_000 : 0,
          journal: join(folder, `journal-${writer}`),
          onProgress: (count) => {
            done[writer] = count;
            const sum = done.reduce((total, one) => total + one, 0);
            options.onProgress?.({ stage: 'writing', done: sum, of: commandsPerWriter * writers });
          },
        }),
      ),
    );
    const cutting = cutConnections(pool, cutEveryMs, stopFaults.signal);
    const replacing = repeatEvery(replaceEveryMs, stopFaults.signal, (round) => tails.replaceOne(round % 3 !== 2));
    const results = await running.finally(() => stopFaults.abort());
    const writingMs = Math.round(performance.now() - began);
    const connectionsCut = await cutting;
    await replacing;

    await catchUp(pool, options.onProgress);
    await tails.stop();
    options.onProgress?.({ stage: 'judging', done: 0, of: 1 });
    const writerFigures = results.map(({ figures }) => figures);
    const findings = await checkSoak(
      pool,
      seed,
      results.map(({ journal }) => journal),
    );
    const chain = await verifyChain(pool);
    const readModels = await checkReadModels(pool);
    const problems = [...writerFigures.flatMap(({ violations }) => violations), ...findings.problems].slice(0, 40);
    return {
      passed:
        findings.acknowledgedEvents > 0 &&
        problems.length === 0 &&
        findings.problemCount === 0 &&
        chain.problemCount === 0 &&
        readModels.passed,
      seed,
      commands: commandsPerWriter * writers,
      writers,
      writingMs,
      figures: sumFigures(writerFigures),
      connectionsCut,
      tailsKilled: tails.killed,
      tailsEnded: tails.shutDown,
      findings,
      chainProblems: chain.problemCount,
      readModels,
      problems,
    };
  } finally {
    stopFaults.abort();
    await tails.stop();
    await pool.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Periodically cuts an active connection of a random writer. Returns the number of cut connections. */
async function cutConnections(pool: Pool, everyMs: number, signal: AbortSignal): Promise<number> {
  let cut = 0;
  await repeatEvery(everyMs, signal, async () => {
    const { rowCount } = await pool.query(
      `SELECT pg_terminate_backend(pid) FROM (
         SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = '${WRITER_APPLICATION_NAME}' AND state = 'active'
         ORDER BY random() LIMIT 1
       ) AS unlucky`,
    );
    cut += rowCount ?? 0;
  });
  return cut;
}

async function repeatEvery(ms: number, signal: AbortSignal, act: (round: number) => unknown): Promise<void> {
  for (let round = 0; ; round += 1) {
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await act(round);
  }
}

/** Waits until the replicas have read the whole log. */
async function catchUp(pool: Pool, onProgress: SoakOptions['onProgress']): Promise<void> {
  let maxLag = 0;
  for (;;) {
    const { lagEvents } = await readProjectionLag(pool);
    maxLag = Math.max(maxLag, lagEvents);
    onProgress?.({ stage: 'catching up', done: maxLag - lagEvents, of: maxLag });
    if (lagEvents === 0) return;
    await sleep(250);
  }
}

function sumFigures(writerFigures: readonly WriterFigures[]): SoakReport['figures'] {
  const refused: Record<string, number> = {};
  for (const figures of writerFigures)
    for (const [code, count] of Object.entries(figures.refused)) refused[code] = (refused[code] ?? 0) + count;
  const sum = (count: (figures: WriterFigures) => number): number =>
    writerFigures.reduce((total, one) => total + count(one), 0);
  return {
    acknowledged: sum(({ acknowledged }) => acknowledged),
    repeated: sum(({ repeated }) => repeated),
    unknown: sum(({ unknown }) => unknown),
    refused,
  };
}
