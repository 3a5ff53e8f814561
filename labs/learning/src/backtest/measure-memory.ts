import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { backtestMessageSchema, type BacktestFigures } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import { createReadModelsProjection, readProjectionLag } from '@phaseline/projections';
import { playJobOn } from './compare-backtest.js';

/** What the program of backtests used for one guard. */
export interface BacktestUse {
  readonly jobs: number;
  readonly events: number;
  /** Most resident memory of the process, in MiB. */
  readonly peakMebibytes: number;
  /** Time of the processor in seconds: of its start, of reading from PostgreSQL, and of the backtest. */
  readonly cpuSeconds: number;
}

const PROGRAM = fileURLToPath(new URL('../../../../apps/what-if-program/dist/main.js', import.meta.url));

const RULE = {
  ...{ name: 'measured', version: '0'.repeat(64), scope: 'agent', kind: 'rule', stage: 'production', owner: 'lab' },
  ...{ points: ['PreToolUse'], onFailure: 'deny', body: { when: { tool: 'write_file' }, then: { deny: 'no' } } },
};

/** Kernel time units per second, which are the same on every Linux machine that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/** Plays jobs until the log has each of these numbers of them, smallest first, and backtests a rule on all that it has then. */
export async function measureMemory(
  databaseUrl: string,
  sizes: readonly number[],
  calls: number,
  seed: number,
): Promise<readonly BacktestUse[]> {
  const pool = createPool(databaseUrl, { max: 4, applicationName: 'learning-lab' });
  const log = new EventStore(pool);
  // The program finds the jobs in their read model.
  const readModels = createReadModelsProjection(pool);
  await readModels.start();
  try {
    const measured: BacktestUse[] = [];
    let played = 0;
    for (const jobs of sizes) {
      for (; played < jobs; played += 1) await playJobOn(log, seed + played, calls, []);
      const {
        rows: [counted],
      } = await pool.query<{ events: number }>('SELECT count(*)::int AS events FROM phaseline.events');
      while ((await readProjectionLag(pool)).lagEvents > 0) await sleep(50);
      const used = await backtestAll(databaseUrl, jobs);
      if (used.figures.jobs !== jobs) throw new Error(`the backtest read ${used.figures.jobs} of ${jobs} jobs`);
      measured.push({ jobs, events: counted!.events, ...used.use });
    }
    return measured;
  } finally {
    await readModels.close();
    await pool.end();
  }
}

async function backtestAll(
  databaseUrl: string,
  limit: number,
): Promise<{ readonly figures: BacktestFigures; readonly use: Pick<BacktestUse, 'peakMebibytes' | 'cpuSeconds'> }> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  child.stdin.end(JSON.stringify({ kind: 'backtest', guard: RULE, limit }));
  let use = { peakMebibytes: 0, cpuSeconds: 0 };
  let figures: BacktestFigures | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    const message = backtestMessageSchema.parse(JSON.parse(line));
    if (message.kind === 'figures') figures = message.figures;
    // The process still runs after its last message: it closes its connections.
    use = (await readUse(child.pid!)) ?? use;
  }
  await ended;
  if (!figures) throw new Error('the program of backtests ended early');
  return { figures, use };
}

/** What a process has used so far; undefined if it has ended. */
async function readUse(pid: number): Promise<{ peakMebibytes: number; cpuSeconds: number } | undefined> {
  const [status, stat] = await Promise.all([readProc(pid, 'status'), readProc(pid, 'stat')]);
  const kibibytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
  if (kibibytes === undefined) return undefined;
  // The name of the program, in parentheses, is the second field; the times in user and kernel mode are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  return { peakMebibytes: Number(kibibytes) / 1_024, cpuSeconds };
}

function readProc(pid: number, file: 'status' | 'stat'): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}
