import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JobState } from '@phaseline/domain';
import { contentHash, type JobBlobs } from '@phaseline/event-store';
import type { Tree } from '@phaseline/workspace';
import { checkPath, type CheckedSource } from './check-source.js';
import { importRepository } from './import-repository.js';
import { Git } from './run-git.js';

/** Fixed identity and time, so that every commit of a fixture has the same hash in every run. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

/** Runs git as a person would, without the settings of the machine. */
export function git(
  cwd: string,
  args: readonly string[],
  { input = '', env = {} as Record<string, string> } = {},
): string {
  return execFileSync('git', args, {
    cwd,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C.UTF-8', ...env },
  });
}

/** Runs git with the fixed identity of a person. */
export function gitAsAda(cwd: string, ...args: readonly string[]): string {
  return git(cwd, args, { env: IDENTITY });
}

export function makeFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `phaseline-${name}-`));
}

/** Creates a repository with one commit on `main`. A content of `-> target` makes a link, a leading `#!` an executable file. */
export function createRepository(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = makeFolder('origin');
  gitAsAda(folder, 'init', '--quiet', '--initial-branch=main');
  for (const [path, content] of Object.entries(files)) writeTo(folder, path, content);
  gitAsAda(folder, 'add', '--all');
  gitAsAda(folder, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  return folder;
}

export function writeTo(folder: string, path: string, content: string | Buffer): void {
  const place = join(folder, path);
  mkdirSync(dirname(place), { recursive: true });
  if (typeof content === 'string' && content.startsWith('-> ')) symlinkSync(content.slice(3), place);
  else writeFileSync(place, content);
  if (typeof content === 'string' && content.startsWith('#!')) chmodSync(place, 0o755);
}

/** A blob store in memory. */
export function createBlobs(): JobBlobs {
  const stored = new Map<string, Buffer>();
  const put = async (content: Uint8Array): Promise<string> => {
    const hash = contentHash(content);
    stored.set(hash, Buffer.from(content));
    return hash;
  };
  return {
    put,
    async putAll(blobs) {
      for (const { content } of blobs) await put(content);
    },
    async putStream(source) {
      const parts: Uint8Array[] = [];
      for await (const part of source) parts.push(part);
      const content = Buffer.concat(parts);
      return { hash: await put(content), size: content.byteLength };
    },
    get: async (hash) => stored.get(hash),
    getAll: async (hashes) => new Map([...stored].filter(([hash]) => hashes.includes(hash))),
    read: async (hash, { offset, length }) => stored.get(hash)?.subarray(offset, offset + length),
    async *stream(hash) {
      const content = stored.get(hash);
      if (!content) throw new Error(`no blob ${hash}`);
      yield content;
    },
    size: async (hash) => stored.get(hash)?.byteLength,
    has: async (hashes) => new Set(hashes.filter((hash) => stored.has(hash))),
  };
}

export const JOB_ID = '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f';

/** The parts of a job that name its agent. */
export const job = {
  submitted: { jobId: JOB_ID },
  definition: { agent: { displayName: "The 'Coder' <x>" } },
} as unknown as JobState;

export function openGit(): Promise<Git> {
  const limits = { timeoutMs: 60_000, maxFileBytes: 50_000_000, maxMemoryBytes: 1_000_000_000 };
  return Git.open(makeFolder('git-home'), limits, new AbortController().signal);
}

/** Creates an empty mirror, as the tool-runner does. */
export function createMirror(): string {
  const mirror = makeFolder('mirror');
  git(mirror, ['init', '--quiet', '--bare', '--template=']);
  return mirror;
}

/** Imports a repository of this machine, or from a source that was checked before. */
export async function importFrom(
  path: string,
  {
    ref = 'HEAD',
    files = 1_000,
    bytes = 10_000_000,
    source = undefined as CheckedSource | undefined,
    mirror = createMirror(),
  } = {},
) {
  const runner = await openGit();
  const blobs = createBlobs();
  const parts = {
    ...{ git: runner, blobs, mirror, limits: { files, bytes }, now: new Date('2026-01-02T00:00:00.000Z') },
    scratch: makeFolder('scratch'),
    source: source ?? (await checkPath(path, { roots: ['/'] })),
  };
  return { imported: await importRepository(job, { path, ref }, parts), blobs };
}

/** Writes a workspace to disk, as a folder for commands. Returns the folder of the repository. */
export async function writeWorkspace(tree: Tree, blobs: JobBlobs): Promise<string> {
  const root = makeFolder('workspace');
  for (const [path, { hash, mode }] of Object.entries(tree)) {
    const content = (await blobs.get(hash))!;
    const place = join(root, path);
    mkdirSync(dirname(place), { recursive: true });
    if (mode === 'link') symlinkSync(content.toString('utf8'), place);
    else writeFileSync(place, content, { mode: mode === 'executable' ? 0o755 : 0o644 });
  }
  return join(root, 'repository');
}

/** Reads a folder of the agent back into a tree, as after a command. */
export async function readWorkspace(folder: string, blobs: JobBlobs): Promise<Tree> {
  const tree: Record<string, Tree[string]> = {};
  const visit = async (path: string): Promise<void> => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      const place = join(folder, inner);
      if (entry.isDirectory()) {
        await visit(inner);
        continue;
      }
      const content = entry.isSymbolicLink() ? Buffer.from(readlinkSync(place)) : readFileSync(place);
      const mode = entry.isSymbolicLink() ? 'link' : lstatSync(place).mode & 0o100 ? 'executable' : undefined;
      tree[`repository/${inner}`] = {
        hash: await blobs.put(content),
        size: content.byteLength,
        writtenAt: '2026-01-02T00:00:00.000Z',
        ...(mode === undefined ? {} : { mode }),
      };
    }
  };
  await visit('');
  return tree;
}
