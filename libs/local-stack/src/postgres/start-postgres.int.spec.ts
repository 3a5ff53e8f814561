import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitForExit, startHelperProcess, kill } from '../testing/start-helper-process.js';
import { startPostgres, type RunningPostgres } from './start-postgres.js';

let folder: string;
let dataDir: string;
const running: RunningPostgres[] = [];

let made: string;

beforeAll(async () => {
  made = await createFolder();
  await (await startPostgres({ dataDir: join(made, 'data'), durable: false })).stop();
});
afterAll(() => rm(made, { recursive: true }));

beforeEach(async () => {
  folder = await createFolder();
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function createFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'phaseline-spec-'));
  await chmod(path, 0o755);
  return path;
}

/** Copies a used data directory without its state file, which takes less time than initdb. */
function copyData(): void {
  execFileSync('cp', ['-a', join(made, 'data'), dataDir]);
}

async function start(options: { port?: number } = {}): Promise<RunningPostgres> {
  const postgres = await startPostgres({ dataDir, durable: false, ...options });
  running.push(postgres);
  return postgres;
}

async function query<R extends pg.QueryResultRow>(connectionString: string, sql: string): Promise<R[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('startPostgres', () => {
  it('creates a UTF-8 database for the owner, whom services cannot impersonate', async () => {
    const { ownerUrl, serviceUrl } = await start();
    const [settings] = await query(
      ownerUrl,
      "SELECT current_user AS user, current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS listens",
    );
    expect(settings).toEqual({ user: 'phaseline_owner', encoding: 'UTF8', listens: '127.0.0.1' });
    await query(ownerUrl, 'CREATE TABLE mine ()');
    expect(await query(serviceUrl, "SELECT pg_has_role('phaseline_service', 'member') AS member")).toEqual([
      { member: true },
    ]);
    await expect(query(serviceUrl, 'DROP TABLE mine')).rejects.toThrow(/must be owner/);
    await expect(query(serviceUrl, 'SET ROLE phaseline_owner')).rejects.toThrow(/permission denied/);
  });

  it('rejects connections without the password', async () => {
    const url = new URL((await start()).ownerUrl);
    url.password = 'guess';
    await expect(query(url.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('keeps data, passwords and port across a restart, in a file that only its owner can read', async () => {
    const first = await start();
    await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await start();
    expect(second.ownerUrl).toBe(first.ownerUrl);
    expect(await query(second.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect((await stat(`${dataDir}.json`)).mode & 0o777).toBe(0o600);
  });

  it('does not store the password of the superuser, and later starts do not need it', async () => {
    const first = await start();
    const { password } = new URL(first.superuserUrl!);
    const verifier = await query<{ rolpassword: string }>(
      first.superuserUrl!,
      `SELECT rolpassword FROM pg_authid WHERE rolname = 'postgres'`,
    );
    expect(verifier[0]?.rolpassword).toMatch(/^SCRAM-SHA-256\$/);
    await first.stop();
    const files = spawnSync('grep', ['-rlaF', '--', password, folder, first.dataDirectory], { encoding: 'utf8' });
    expect([files.status, files.stdout]).toEqual([1, '']);
    const second = await start();
    expect(second.superuserUrl).toBeUndefined();
    expect(await query(second.ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const state = JSON.parse(await readFile(`${dataDir}.json`, 'utf8')) as { passwords: object };
    expect(Object.keys(state.passwords).sort()).toEqual(['app', 'owner']);
  });

  it('removes a superuser password that an earlier release had stored', async () => {
    copyData();
    await writeFile(
      `${dataDir}.json`,
      JSON.stringify({
        passwords: { superuser: 'written-down', owner: 'o'.repeat(32), app: 'a'.repeat(32) },
        superuserKnown: true,
      }),
    );
    const postgres = await start();
    expect(await query(postgres.ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readFile(`${dataDir}.json`, 'utf8')).not.toContain('written-down');
  });

  it('recovers access to its data when the file with the passwords was lost', async () => {
    copyData();
    const first = await start();
    await query(first.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await rm(`${dataDir}.json`);
    const second = await start();
    expect(second.ownerUrl).not.toBe(first.ownerUrl);
    expect(await query(second.ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('refuses a data directory that another running process uses, naming that process', async () => {
    copyData();
    const { pid } = await start();
    await expect(start()).rejects.toMatchObject({
      code: 'data_directory_in_use',
      pid,
      message: expect.stringContaining(`process ${process.pid}`),
    });
  });

  it('lets only one of two concurrent starts use the data directory', async () => {
    const results = await Promise.allSettled([start(), start()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({
      code: 'data_directory_in_use',
    });
    expect(await query(running[0]!.ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('exits when its parent is killed, and the next start finds all committed data', async () => {
    copyData();
    const { child, report } = await startHelperProcess<{ pid: number; ownerUrl: string }>('run-postgres', [dataDir]);
    await query(report.ownerUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await kill(child);
    // Start immediately, while the old server is still shutting down.
    const { ownerUrl, pid } = await start();
    expect(pid).not.toBe(report.pid);
    expect(await query(ownerUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    await waitForExit(report.pid);
  });

  it('starts again after its own postmaster was killed', async () => {
    copyData();
    const first = await start();
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const second = await start();
    expect(second.pid).not.toBe(first.pid);
    expect(await query(second.ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('ignores a pid file whose process id now belongs to another program', async () => {
    copyData();
    const first = await start();
    const pidFile = await readFile(join(first.dataDirectory, 'postmaster.pid'), 'utf8');
    await first.stop();
    await writeFile(join(first.dataDirectory, 'postmaster.pid'), pidFile.replace(/^\d+/, String(process.ppid)));
    const second = await start();
    expect(await query(second.ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('reports that the requested port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({ code: 'port_in_use', port });
    other.close();
  });

  it('uses another port if the port of the last run is in use', async () => {
    copyData();
    const first = await start();
    await first.stop();
    const other = createServer().listen(first.port, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    expect((await start()).port).not.toBe(first.port);
    other.close();
  });

  it('does not touch a folder with other content', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'thesis.txt'), 'irreplaceable');
    await expect(start()).rejects.toMatchObject({ code: 'data_directory_unusable' });
    expect(await readFile(join(dataDir, 'thesis.txt'), 'utf8')).toBe('irreplaceable');
  });

  it('does not touch data of another major version', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'PG_VERSION'), '15\n');
    await expect(start()).rejects.toMatchObject({
      code: 'data_directory_unusable',
      message: expect.stringContaining('PostgreSQL 15'),
    });
  });
});

describe.runIf(process.getuid?.() === 0)('startPostgres as root', () => {
  it('stores the data elsewhere, and finds them again, if the server cannot reach the folder', async () => {
    await chmod(folder, 0o700);
    const first = await start();
    expect(first.dataDirectory.startsWith(folder)).toBe(false);
    await query(first.ownerUrl, 'CREATE TABLE kept ()');
    await first.stop();
    const second = await start();
    expect(second.dataDirectory).toBe(first.dataDirectory);
    expect(await query(second.ownerUrl, "SELECT to_regclass('kept')::text AS found")).toEqual([{ found: 'kept' }]);
    await second.stop();
    await rm(second.dataDirectory, { recursive: true });
  });

  it('works in the same way for an ordinary user without a home directory', async () => {
    const nobody = 65_534;
    const theirs = join(folder, 'theirs');
    await mkdir(theirs);
    await chmod(theirs, 0o777);
    const { child, report } = await startHelperProcess<{ pid: number; ownerUrl: string; dataDirectory: string }>(
      'run-postgres',
      [join(theirs, 'data')],
      {
        uid: nobody,
        gid: nobody,
        env: { PATH: process.env.PATH, HOME: '' },
      },
    );
    expect(await query(report.ownerUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await stat(report.dataDirectory)).uid).toBe(nobody);
    await kill(child);
    await waitForExit(report.pid);
  });
});
