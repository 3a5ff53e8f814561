import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, serviceNodeArguments, superviseServices } from '@phaseline/local-stack';
import { BenchFailed } from './bench-failed.js';

export interface ServiceFigures {
  readonly name: string;
  /** Milliseconds from the start of the process until it is ready. */
  readonly startMs: number;
  /** Resident memory right after the start, in MiB. */
  readonly rssMiB: number;
}

const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const APPS_FOLDER = fileURLToPath(new URL('../../../apps', import.meta.url));

/** Measures start-up time and memory. Starts one service at a time, so that they do not compete for CPU time. */
export async function measureServices(databaseUrl: string, folder: string): Promise<ServiceFigures[]> {
  const figures: ServiceFigures[] = [];
  for (const name of SERVICES) {
    const port = await findFreePort();
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      PHASELINE_QUEUE_BACKEND: 'postgres',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      PHASELINE_WORKSPACES_DIR: join(folder, 'workspaces'),
    };
    const started = performance.now();
    const supervision = await superviseServices(
      [
        {
          name,
          command: process.execPath,
          args: [...serviceNodeArguments, join(APPS_FOLDER, name, 'dist/main.js')],
          env,
          healthUrl: `http://127.0.0.1:${port}/ready`,
        },
      ],
      { logDirectory: join(folder, 'logs') },
    );
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
