import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findServerAccount } from './server-account.js';
import { findServerBinaries } from './server-binaries.js';

const run = promisify(execFile);

describe('findServerBinaries', () => {
  it('finds binaries that run from node_modules', async () => {
    const { postgres } = await findServerBinaries(undefined);
    expect(postgres).toContain('node_modules');
    expect((await run(postgres, ['--version'])).stdout).toContain('PostgreSQL');
  });
});

describe.runIf(process.getuid?.() === 0)('findServerBinaries as root', () => {
  const version = `0.0.0-spec-${process.pid}`;
  let closed: string;
  let copy: string | undefined;

  beforeAll(async () => {
    const { postgres } = await findServerBinaries(undefined);
    closed = await mkdtemp(join(tmpdir(), 'phaseline-spec-'));
    await cp(dirname(dirname(postgres)), join(closed, 'native'), { recursive: true, verbatimSymlinks: true });
    // As installed with umask 077.
    await chmod(join(closed, 'native', 'bin', 'postgres'), 0o700);
  });
  afterAll(async () => {
    await rm(closed, { recursive: true });
    if (copy) await rm(copy, { recursive: true });
  });

  it("copies binaries that the server's user cannot reach to a folder that it can read but not change", async () => {
    const account = await findServerAccount();
    const { postgres } = await findServerBinaries(account, { native: join(closed, 'native'), version });
    copy = dirname(dirname(postgres));
    expect((await run(postgres, ['--version'], { uid: account!.uid, gid: account!.gid, cwd: '/' })).stdout).toContain(
      'PostgreSQL',
    );
    for (const path of [postgres, dirname(postgres), copy, dirname(copy)])
      expect(await stat(path)).toSatisfy(({ uid, mode }) => uid === 0 && (mode & 0o022) === 0);
  });

  it('copies once', async () => {
    const before = await stat(copy!);
    await findServerBinaries(await findServerAccount(), { native: join(closed, 'native'), version });
    expect((await stat(copy!)).ino).toBe(before.ino);
  });

  it('replaces a damaged copy', async () => {
    await rm(join(copy!, 'lib'), { recursive: true });
    const { initdb } = await findServerBinaries(await findServerAccount(), { native: join(closed, 'native'), version });
    expect((await run(initdb, ['--version'])).stdout).toContain('initdb');
  });
});
