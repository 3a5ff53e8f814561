import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, superviseServices } from '@phaseline/local-stack';
import { BenchFailed } from './bench-failed.js';

export interface ServiceFigures {
  readonly name: string;
  /** From the start of the process until it is ready to work. */
  readonly startMs: number;
  /** Resident memory right after the start, in MiB. */
  readonly rssMiB: number;
}

const services = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const apps = fileURLToPath(new URL('../../../../apps', import.meta.url));

/** Starts each service alone, so that none waits for another's share of the processors. */
export async function serviceBench(databaseUrl: string, folder: string): Promise<ServiceFigures[]> {
  const figures: ServiceFigures[] = [];
  for (const name of services) {
    const port = await freePort();
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      QUEUE_BACKEND: 'postgres',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      WORKSPACE_ROOT: join(folder, 'workspaces'),
    };
    const started = performance.now();
    const supervision = await superviseServices(
      [
        {
          name,
          command: process.execPath,
          args: [join(apps, name, 'dist/main.js')],
          env,
          healthUrl: `http://127.0.0.1:${port}/ready`,
        },
      ],
      { logDirectory: join(folder, 'logs') },
    );
    const startMs = performance.now() - started;
    const pid = supervision.status()[0]?.pid;
    if (pid === undefined) throw new BenchFailed(`${name} ended right after it had started`);
    figures.push({ name, startMs, rssMiB: await residentMiB(pid) });
    await supervision.stop(5_000);
  }
  return figures;
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new BenchFailed(`the system does not name the memory of process ${pid}`);
  return Number(kilobytes) / 1_024;
}
