import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { runProgram, startProgram } from '@phaseline/basics/processes';
import { DataDirectoryUnusable } from '../local-stack-error.js';
import { explainServerFailure } from './explain-server-failure.js';
import { createServerDirectory } from './postgres-state.js';
import type { ServerAccount } from './server-account.js';
import type { ServerBinaries } from './server-binaries.js';

export const SUPERUSER = 'postgres';

export interface DataDirectory {
  readonly path: string;
  readonly binaries: ServerBinaries;
  readonly account: ServerAccount | undefined;
  readonly superuserPassword: string;
  readonly durable: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Creates the data directory unless it exists. It is created under a temporary name and renamed, so that an incomplete one is never
 * used. Returns whether it was created.
 */
export async function initDataDirectory(data: DataDirectory): Promise<boolean> {
  const version = await readFile(`${data.path}/PG_VERSION`, 'utf8').catch(() => undefined);
  if (version !== undefined) {
    assertVersion(data, version.trim());
    return false;
  }
  const temporaryPath = `${data.path}.init-${process.pid}`;
  const passwordFile = `${temporaryPath}.password`;
  try {
    await rm(temporaryPath, { recursive: true, force: true });
    await createServerDirectory(temporaryPath, data.account);
    await writeFile(passwordFile, data.superuserPassword, { mode: 0o600 });
    if (data.account) await chown(passwordFile, data.account.uid, data.account.gid);
    await runProgram(
      data.binaries.initdb,
      [
        `--pgdata=${temporaryPath}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(data.durable ? [] : ['--no-sync']),
      ],
      { uid: data.account?.uid, gid: data.account?.gid, env: data.env, cwd: '/' },
    );
    await rename(temporaryPath, data.path);
    return true;
  } catch (error) {
    await rm(temporaryPath, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') {
      throw new DataDirectoryUnusable(
        `${data.path} is neither empty nor a PostgreSQL data directory. Move it away, or set PHASELINE_HOME to another folder.`,
      );
    }
    const { stderr } = error as { stderr?: string };
    throw explainServerFailure(data.path, (stderr ?? String(error)).trim().split('\n'), error);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function assertVersion(data: DataDirectory, version: string): void {
  const major = data.binaries.version.split('.')[0];
  if (version === major) return;
  throw new DataDirectoryUnusable(
    `${data.path} was written by PostgreSQL ${version} but this is PostgreSQL ${major}. Move it away to start with an empty database, or run that version and set DATABASE_URL.`,
  );
}

/** Sets the superuser's password in single-user mode, which does not need the old password. No server may be running. */
export async function resetSuperuserPassword(data: DataDirectory): Promise<void> {
  const child = startProgram(data.binaries.postgres, ['--single', '-D', data.path, 'postgres'], {
    uid: data.account?.uid,
    gid: data.account?.gid,
    env: data.env,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin!.on('error', () => {});
  child.stdin!.end(`ALTER ROLE ${SUPERUSER} PASSWORD '${data.superuserPassword}'\n`);
  if ((await ended) !== 0) throw explainServerFailure(data.path, errors.trim().split('\n'));
}
