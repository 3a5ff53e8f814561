import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createPool } from '@phaseline/event-store';
import { readModelsProjection } from '@phaseline/projections';
import { typescriptProcess } from '@phaseline/test-database';

/** Starts a program beside this file, from its source where this file is one. */
export function startProgram(name: 'writer-process' | 'tail-process', argument: string): ChildProcess {
  const source = import.meta.url.endsWith('.ts');
  const file = new URL(`./${name}.${source ? 'ts' : 'js'}`, import.meta.url);
  const args = source ? typescriptProcess(file, argument) : [fileURLToPath(file), argument];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Resolves when a process has ended; rejects when it did not end by itself with 0, with what it said. */
export async function endOf(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-4_000)));
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`a writer ended with ${code ?? signal}: ${said}`);
}

/** One replica of the tail, wherever it runs. */
export interface TailReplica {
  /** Ends it: at once, as a crash does where it is a process, or in order. */
  end(kill: boolean): Promise<void>;
}

/** A replica as a process of its own. */
export async function tailProcess(databaseUrl: string): Promise<TailReplica> {
  const child = startProgram('tail-process', databaseUrl);
  // Nobody reads it; a full pipe would stop the process.
  child.stdout?.resume();
  child.stderr?.resume();
  return {
    end: async (kill) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(kill ? 'SIGKILL' : 'SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** A replica in this process. */
export async function tailHere(databaseUrl: string): Promise<TailReplica> {
  const pool = createPool(databaseUrl, { max: 12, applicationName: 'soak-tail' });
  const subscription = readModelsProjection(pool, { leaseMs: 2_000, pollMs: 50 });
  await subscription.start();
  return {
    end: async () => {
      await subscription.close();
      await pool.end();
    },
  };
}

/** Replicas that come and go: now and then one of them is ended, and another one takes its place. */
export class ComingAndGoing {
  private running: TailReplica[] = [];
  private stopped = false;
  /** Ends so far. */
  killed = 0;
  told = 0;

  constructor(private readonly start: () => Promise<TailReplica>) {}

  async begin(replicas: number): Promise<void> {
    this.running = await Promise.all(Array.from({ length: replicas }, this.start));
  }

  /** Ends one of them and starts another. */
  async replaceOne(kill: boolean): Promise<void> {
    const leaving = this.running.shift();
    if (!leaving || this.stopped) return;
    if (kill) this.killed += 1;
    else this.told += 1;
    await leaving.end(kill);
    this.running.push(await this.start());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.running.splice(0).map((replica) => replica.end(false)));
  }
}
