import { spawn, type ChildProcess } from 'node:child_process';
import type { JobId } from '@phaseline/contracts';
import { getTypescriptArguments } from '@phaseline/testing';
import { onTestFinished } from 'vitest';
import type { ColdStorageFixture } from './cold-storage.fixture.js';

/** Moves a job in another process, with an order for a fault point. The process is killed when the test ends. */
export function startMover(
  { archivistUrl, archives }: Pick<ColdStorageFixture, 'archivistUrl' | 'archives'>,
  jobId: JobId,
  order: string,
): ChildProcess {
  const file = new URL('./cold-storage-process.ts', import.meta.url);
  const child = spawn(process.execPath, getTypescriptArguments(file, archivistUrl, archives.location, jobId), {
    env: { PATH: process.env.PATH, PHASELINE_FAULT_POINTS: order },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
