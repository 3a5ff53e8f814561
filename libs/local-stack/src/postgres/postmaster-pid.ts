import { readFile, realpath, rm } from 'node:fs/promises';
import { isAlive, readWorkingDirectory } from '../process/process-identity.js';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** Reads `postmaster.pid` in a data directory, without checking the process. Returns undefined if there is no such file. */
export async function readPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const text = await readFile(`${dataDirectory}/postmaster.pid`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * Returns the server that is running on this data directory. After a power failure or in a restored container the file may contain the
 * id of an unrelated process, and PostgreSQL would then refuse to start; such a file is removed.
 */
export async function findLivePostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const postmaster = await readPostmaster(dataDirectory);
  if (postmaster === undefined || !(postmaster.pid > 0)) return undefined;
  if (!isAlive(postmaster.pid)) return undefined;
  const directory = await readWorkingDirectory(postmaster.pid);
  // The working directory of a server is its data directory. If it cannot be read (another user's process, no /proc), trust the file.
  if (directory === undefined || directory === (await realpath(dataDirectory))) return postmaster;
  await rm(`${dataDirectory}/postmaster.pid`, { force: true });
  return undefined;
}
