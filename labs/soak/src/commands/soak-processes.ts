import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createPool } from '@phaseline/event-store';
import { createReadModelsProjection } from '@phaseline/projections';
import { getTypescriptArguments } from '@phaseline/testing';

/** Starts a program of this folder, from source if this file runs from source. */
export function startProgram(name: 'writer-process' | 'tail-process', argument: string): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const file = new URL(`./${name}.${isSource ? 'ts' : 'js'}`, import.meta.url);
  const args = isSource ? getTypescriptArguments(file, argument) : [fileURLToPath(file), argument];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Waits for a process to exit. Rejects with its stderr unless it exits with code 0. */
export async function waitForExit(child: ChildProcess): Promise<void> {
  let stderrTail = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderrTail = `${stderrTail}${chunk.toString()}`.slice(-4_000)));
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`a writer exited with ${code ?? signal}: ${stderrTail}`);
}

/** A replica of the tail, in this or another process. */
export interface TailReplica {
  /** Ends the replica: by SIGKILL with `kill` if it is a process, otherwise gracefully. */
  end(kill: boolean): Promise<void>;
}

/** Starts a replica as a separate process. */
export async function startTailProcess(databaseUrl: string): Promise<TailReplica> {
  const child = startProgram('tail-process', databaseUrl);
  // Discards the output; a full pipe would block the process.
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

/** Starts a replica in this process. */
export async function startTailInProcess(databaseUrl: string): Promise<TailReplica> {
  const pool = createPool(databaseUrl, { max: 12, applicationName: 'soak-tail' });
  const subscription = createReadModelsProjection(pool, { leaseMs: 2_000, pollMs: 50 });
  await subscription.start();
  return {
    end: async () => {
      await subscription.close();
      await pool.end();
    },
  };
}

/** A set of replicas in which one can be ended and replaced by a new one. */
export class ReplaceableReplicas {
  private running: TailReplica[] = [];
  private isStopped = false;
  /** Number of replicas killed so far. */
  killed = 0;
  /** Number of replicas shut down gracefully so far. */
  shutDown = 0;

  constructor(private readonly start: () => Promise<TailReplica>) {}

  async startReplicas(replicas: number): Promise<void> {
    this.running = await Promise.all(Array.from({ length: replicas }, this.start));
  }

  /** Ends one of them and starts another. */
  async replaceOne(kill: boolean): Promise<void> {
    const leaving = this.running.shift();
    if (!leaving || this.isStopped) return;
    if (kill) this.killed += 1;
    else this.shutDown += 1;
    await leaving.end(kill);
    this.running.push(await this.start());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running.splice(0).map((replica) => replica.end(false)));
  }
}
