import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export type PageUser = 'root' | 'ordinary user';

/** The users as whom a page can be followed: the current one and, if that is root, an ordinary user made for the spec. */
const pageUsers: readonly PageUser[] = process.getuid?.() === 0 ? ['root', 'ordinary user'] : ['ordinary user'];

/**
 * The users as whom a spec follows the page with this name: all of `pageUsers`. PHASELINE_SAMPLE, such as the hash of a commit, reduces
 * them to one, which it determines together with the name, so that each page is followed as each user in the course of commits.
 */
export function findReaders(page: string): readonly PageUser[] {
  const seed = process.env['PHASELINE_SAMPLE'];
  if (!seed) return pageUsers;
  const hash = createHash('sha256').update(`${page} ${seed}`).digest();
  return [pageUsers[hash[0]! % pageUsers.length]!];
}

export interface FollowOptions {
  readonly as: PageUser;
  /** Variables of the system and of the commands, in addition to PATH, HOME and PHASELINE_HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of `phaseline up`, such as a model; the port is added. */
  readonly up?: readonly string[];
  /** Files in the folder in which the reader works. */
  readonly files?: Readonly<Record<string, string>>;
  /** Runs beside the reader, with PHASELINE_HOME of the system, until the signal is aborted: what the reader waits for. */
  readonly meanwhile?: (home: string, signal: AbortSignal) => Promise<void>;
}

/** A `bash` block of the page with what it printed. */
export interface FollowedBlock {
  readonly text: string;
  readonly output: string;
}

/**
 * Follows a page as its reader would: starts a system with `phaseline up`, and runs the `bash` blocks of the page in order, in one
 * shell and in an empty folder. `npx phaseline` runs the command of this repository. A command that fails ends the run with an
 * error that contains its output. A block whose first line is `# not followed: <reason>` is skipped.
 */
export async function followPage(page: string, options: FollowOptions): Promise<readonly FollowedBlock[]> {
  const markdown = await readFile(join(ROOT, page), 'utf8');
  const blocks = [...markdown.matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, text]) => text!);
  const followed = blocks.filter((text) => !text.startsWith('# not followed: '));
  if (followed.length === 0) throw new Error(`${page} has no bash block to follow`);
  const isTemporary = options.as === 'ordinary user' && process.getuid?.() === 0;
  const account = isTemporary ? await createUser() : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'follow-'));
  let system: ChildProcess | undefined;
  const end = new AbortController();
  let meanwhile: Promise<void> | undefined;
  try {
    // The user that runs PostgreSQL must be able to reach its data.
    await chmod(folder, 0o755);
    for (const [name, text] of Object.entries(options.files ?? {})) await writeFile(join(folder, name), text);
    if (account)
      for (const path of [folder, ...Object.keys(options.files ?? {}).map((name) => join(folder, name))])
        await chown(path, account.uid, account.gid);
    const place = { cwd: folder, ...(account ? { uid: account.uid, gid: account.gid } : {}) };
    const env = {
      PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
      HOME: folder,
      NO_COLOR: '1',
      PHASELINE_HOME: join(folder, '.phaseline'),
      ...options.env,
    };
    system = await startSystem(options.up ?? [], { ...place, env });
    meanwhile = options.meanwhile?.(env.PHASELINE_HOME, end.signal);
    const mark = `=====${randomBytes(8).toString('hex')}=====`;
    const script = [
      'set -eu -o pipefail',
      `npx() { if [ "$1" = phaseline ]; then shift; "${process.execPath}" "${CLI}" "$@"; else command npx "$@"; fi; }`,
      ...followed.flatMap((text) => [text, `echo; echo '${mark}'`]),
    ].join('\n');
    const { stdout } = await run('bash', ['-c', script], {
      ...place,
      env,
      timeout: 600_000,
      maxBuffer: 64 * 1024 ** 2,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(
        `${page} cannot be followed as ${options.as}:\n${error.stdout ?? ''}\n${error.stderr ?? error.message}`,
        { cause: error },
      );
    });
    const outputs = stdout.split(mark);
    return followed.map((text, index) => ({ text, output: (outputs[index] ?? '').trim() }));
  } finally {
    end.abort();
    await meanwhile?.catch(() => undefined);
    await stopSystem(system);
    await rm(folder, { recursive: true, force: true });
    if (account) await removeUser(account.name);
  }
}

const CLI = join(ROOT, 'apps/cli/dist/main.js');

interface Place {
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts the system. Another process can take the free port first; then another one is tried. */
async function startSystem(more: readonly string[], place: Place): Promise<ChildProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryStart(more, place);
    } catch (error) {
      if (attempt === 3 || !String(error).includes('the port is in use')) throw error;
    }
  }
}

async function tryStart(more: readonly string[], place: Place): Promise<ChildProcess> {
  const port = String(await findFreePort());
  const child = spawn(process.execPath, [CLI, 'up', '--port', port, ...more], {
    ...place,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const isUp = new Promise<void>((resolve, reject) => {
    const add = (piece: Buffer): void => {
      output += piece.toString();
      if (output.includes('Phaseline is up at')) resolve();
    };
    child.stdout!.on('data', add);
    child.stderr!.on('data', add);
    child.once('close', () => reject(new Error(`phaseline up ended early:\n${output}`)));
  });
  await isUp;
  return child;
}

async function stopSystem(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  await ended;
}

async function createUser(): Promise<{ readonly name: string; readonly uid: number; readonly gid: number }> {
  const name = `reader-${randomBytes(4).toString('hex')}`;
  await run('useradd', ['--no-create-home', '--user-group', '--shell', '/bin/sh', name]);
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  );
  return { name, uid: uid!, gid: gid! };
}

/** Removes a user. Processes of the system that were asked to stop may still run for a moment. */
async function removeUser(name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run('userdel', [name]);
      return;
    } catch (error) {
      if (attempt === 120) throw error;
      await sleep(500);
    }
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
