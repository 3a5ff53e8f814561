import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeServices } from '@phaseline/harness';
import { superviseServices } from '@phaseline/local-stack';
import { BenchFailed } from './bench-failed.js';

export interface ServiceFigures {
  readonly name: string;
  /** Milliseconds from the start of the process until it is ready. */
  readonly startMs: number;
  /** Resident memory right after the start, in MiB. */
  readonly rssMiB: number;
}

/** Measures start-up time and memory. Starts one service at a time, so that they do not compete for CPU time. */
export async function measureServices(databaseUrl: string, folder: string): Promise<ServiceFigures[]> {
  const figures: ServiceFigures[] = [];
  for (const service of await describeServices({ databaseUrl, folder })) {
    const { name } = service;
    const started = performance.now();
    const supervision = await superviseServices([service], { logDirectory: join(folder, 'logs') });
    const startMs = performance.now() - started;
    const pid = supervision.status()[0]?.pid;
    if (pid === undefined) throw new BenchFailed(`${name} exited right after its start`);
    figures.push({ name, startMs, rssMiB: await residentMiB(pid) });
    await supervision.stop(5_000);
  }
  return figures;
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new BenchFailed(`no memory size in /proc/${pid}/status`);
  return Number(kilobytes) / 1_024;
}
