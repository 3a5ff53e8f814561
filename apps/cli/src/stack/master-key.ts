import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { MasterKeys } from '@phaseline/event-store';
import { BadEnvironment } from '../command/command-errors.js';

/**
 * Returns the variables that give the services of a local stack their master keys: those of the caller, else the file `master-key`
 * in the stack's folder, which is created if missing, readable by its owner only. Throws BadEnvironment.
 */
export async function prepareMasterKeySettings(env: NodeJS.ProcessEnv, home: string): Promise<NodeJS.ProcessEnv> {
  const given = env.PHASELINE_MASTER_KEY?.trim();
  if (given) return { PHASELINE_MASTER_KEY: given };
  const file = env.PHASELINE_MASTER_KEY_FILE?.trim();
  return {
    PHASELINE_MASTER_KEY_FILE: file ? resolve(file) : await ensureKeyFile(join(home, 'master-key')),
  };
}

/** Reads the master keys of this machine without creating one. Throws MasterKeyInvalid and the errors of the file system. */
export async function readMasterKeys(env: NodeJS.ProcessEnv, home: string): Promise<MasterKeys | undefined> {
  const { MasterKeys } = await import('@phaseline/event-store');
  const given = env.PHASELINE_MASTER_KEY?.trim();
  if (given) return MasterKeys.parse(given);
  const file = env.PHASELINE_MASTER_KEY_FILE?.trim();
  if (file) return MasterKeys.parse(await readFile(file, 'utf8'));
  const own = await readFile(join(home, 'master-key'), 'utf8').catch(() => undefined);
  return own === undefined ? undefined : MasterKeys.parse(own);
}

async function ensureKeyFile(path: string): Promise<string> {
  const { MasterKeys } = await import('@phaseline/event-store');
  const temporary = `${path}.${process.pid}.new`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, `${MasterKeys.generate()}\n`, { mode: 0o600 });
    await chmod(temporary, 0o600);
    // Fails if the file exists. If two stacks start at the same time, one creates the key, and no key is ever overwritten.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (cause) {
    throw new BadEnvironment(`Cannot create the master key ${path}: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(temporary, { force: true });
  }
  return path;
}
