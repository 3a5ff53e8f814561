import { readFile, realpath, rm } from 'node:fs/promises';
import { isAlive, workingDirectory } from '../process/process-identity.js';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** What `postmaster.pid` in a data directory says, live or not; undefined without such a file. */
export async function readPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const text = await readFile(`${dataDirectory}/postmaster.pid`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * The server that runs on this data directory now. After a power cut or a restored container the file may name a process
 * that is something else today, and PostgreSQL would then refuse to start for ever; such a file is removed.
 */
export async function livePostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const postmaster = await readPostmaster(dataDirectory);
  if (postmaster === undefined || !(postmaster.pid > 0)) return undefined;
  if (!isAlive(postmaster.pid)) return undefined;
  const directory = await workingDirectory(postmaster.pid);
  // A server stands in its data directory. Where that cannot be seen (another user's process, no /proc) it is believed.
  if (directory === undefined || directory === (await realpath(dataDirectory))) return postmaster;
  await rm(`${dataDirectory}/postmaster.pid`, { force: true });
  return undefined;
}
