import { createReadStream } from 'node:fs';
import { mkdir, opendir, stat, writeFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY_FOLDER, type RepositoryRequest } from '@phaseline/contracts';
import type { JobEventData, JobState } from '@phaseline/domain';
import { faultPoint } from '@phaseline/fault-points';
import { contentHash, type BlobWrite, type JobBlobs } from '@phaseline/event-store';
import { buildIdentityEnvironment, identifyAgent, type AgentIdentity } from './agent-identity.js';
import type { CheckedSource } from './check-source.js';
import { checkLink, listCommittedFiles, readObjects, type CommittedFiles, type ImportLimits } from './read-commit.js';
import { RepositoryProblem } from './repository-problem.js';
import type { Git } from './run-git.js';

type Tree = Record<string, JobEventData<'RepositoryImported'>['tree'][string]>;

export interface ImportParts {
  readonly git: Git;
  readonly blobs: JobBlobs;
  readonly source: CheckedSource;
  /** The bare mirror into which the source is fetched. */
  readonly mirror: string;
  /** Temporary folder of this import. */
  readonly scratch: string;
  readonly limits: ImportLimits;
  readonly now: Date;
}

/** Maximum number of blobs that are stored with one query, and of their bytes, except for a single larger blob. */
const BATCH_BLOBS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Fetches a repository and stores the files of the requested commit, and a `.git` folder of ours with its history, as blobs. Files are
 * read from the object store, so neither filters nor hooks run. Returns the event to record. Throws RepositoryProblem.
 */
export async function importRepository(
  job: JobState,
  request: RepositoryRequest,
  parts: ImportParts,
): Promise<JobEventData<'RepositoryImported'>> {
  const { git, mirror, limits } = parts;
  const ref = `refs/phaseline/${job.submitted.jobId}`;
  const branch = await findBranch(request.ref, parts);
  await fetchInto(mirror, request.ref, ref, parts);
  const commit = await resolve(git, mirror, `${ref}^{commit}`, request.ref);
  const treeHash = await resolve(git, mirror, `${commit}^{tree}`, request.ref);
  const committed = await listCommittedFiles(git, mirror, commit, limits);
  const tree: Tree = {};
  await storeFiles(committed, tree, parts);
  faultPoint('repository.during-import', job.submitted.jobId);
  await storeGitFolder(identifyAgent(job), { ref, commit, branch, submodules: committed.submodules }, tree, parts);
  return {
    ...(request.url === undefined ? { path: request.path! } : { url: request.url }),
    ref: request.ref,
    commit,
    treeHash,
    branch,
    fileCount: committed.files.length,
    bytes: committed.bytes,
    submodules: committed.submodules.length,
    tree,
  };
}

/** Fetches the requested `ref` as `local`. */
async function fetchInto(repository: string, ref: string, local: string, { git, source }: ImportParts): Promise<void> {
  const settings = source.settings.flatMap((setting) => ['-c', setting]);
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
  try {
    await git.run(repository, {
      args: [...settings, 'fetch', ...options, '--', source.address, `+${ref}:${local}`],
      env: source.env,
    });
  } catch (cause) {
    if (!(cause instanceof RepositoryProblem) || cause.code !== 'git_failed') throw cause;
    if (/couldn't find remote ref|not our ref/.test(cause.message)) throw createRefProblem(ref, cause);
    throw new RepositoryProblem('fetch_failed', `the repository could not be fetched: ${cause.message}`, { cause });
  }
}

function createRefProblem(ref: string, cause: Error): RepositoryProblem {
  const message =
    ref === 'HEAD'
      ? 'the repository has no commit yet. Make one, then submit the job again'
      : `the repository has no ${ref}. Give a branch, a tag or a full commit hash that it has`;
  return new RepositoryProblem('ref_not_found', message, { cause });
}

/** Finds the branch on which the agent works: the requested one, or the one that the source names as its head. */
async function findBranch(ref: string, { git, source, mirror }: ImportParts): Promise<string> {
  const settings = source.settings.flatMap((setting) => ['-c', setting]);
  const wanted = ref.replace(/^refs\/heads\//, '');
  const args = [...settings, 'ls-remote', '--symref', '--', source.address, 'HEAD', `refs/heads/${wanted}`];
  const listed = await git.run(mirror, { args, env: source.env }).catch((cause: unknown) => {
    if (!(cause instanceof RepositoryProblem) || cause.code !== 'git_failed') throw cause;
    throw new RepositoryProblem('fetch_failed', `the repository could not be fetched: ${cause.message}`, { cause });
  });
  if (ref !== 'HEAD' && listed.includes(`\trefs/heads/${wanted}\n`)) return wanted;
  const head =
    ref === 'HEAD' ? /^ref: refs\/heads\/([A-Za-z0-9_][A-Za-z0-9_./+-]*)\tHEAD$/m.exec(listed)?.[1] : undefined;
  return head ?? 'main';
}

async function resolve(git: Git, repository: string, expression: string, shown: string): Promise<string> {
  try {
    return (
      await git.run(repository, { args: ['rev-parse', '--verify', '--quiet', '--end-of-options', expression] })
    ).trim();
  } catch (cause) {
    if (!(cause instanceof RepositoryProblem) || cause.code !== 'git_failed') throw cause;
    throw new RepositoryProblem('repository_refused', `${shown} is no commit of the repository`, { cause });
  }
}

async function storeFiles(
  { files }: CommittedFiles,
  tree: Tree,
  { git, mirror, blobs, now }: ImportParts,
): Promise<void> {
  const links = new Map<string, string[]>();
  for (const { object, path, mode } of files)
    if (mode === 'link') links.set(object, [...(links.get(object) ?? []), path]);
  const hashes = new Map<string, string>();
  let batch: BlobWrite[] = [];
  let bytes = 0;
  for await (const { object, content } of readObjects(git, mirror, files)) {
    for (const path of links.get(object) ?? []) checkLink(path, content.toString('utf8'));
    const hash = contentHash(content);
    hashes.set(object, hash);
    batch.push({ hash, content });
    bytes += content.byteLength;
    if (batch.length < BATCH_BLOBS && bytes < BATCH_BYTES) continue;
    await blobs.putAll(batch);
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await blobs.putAll(batch);
  for (const { path, object, size, mode } of files) {
    const hash = hashes.get(object);
    if (hash === undefined)
      throw new RepositoryProblem('repository_refused', `the content of ${JSON.stringify(path)} is missing`);
    setEntry(tree, path, { hash, size, writtenAt: now.toISOString(), ...(mode ? { mode } : {}) });
  }
}

interface GitFolder {
  readonly ref: string;
  readonly commit: string;
  readonly branch: string;
  readonly submodules: readonly string[];
}

/** Makes a `.git` folder with the history of the commit and a configuration of ours, and stores its files. */
async function storeGitFolder(
  identity: AgentIdentity,
  { ref, commit, branch, submodules }: GitFolder,
  tree: Tree,
  { git, mirror, scratch, blobs, now }: ImportParts,
): Promise<void> {
  const work = join(scratch, 'repository');
  await mkdir(work);
  await git.run(work, { args: ['init', '--quiet', '--template=', `--initial-branch=${branch}`] });
  await git.run(work, {
    args: ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', mirror, `${ref}:refs/phaseline/base`],
    env: { GIT_ALLOW_PROTOCOL: 'file' },
  });
  const env = buildIdentityEnvironment(identity, now.toISOString());
  await git.run(work, {
    args: ['-c', 'core.logAllRefUpdates=true', 'update-ref', '-m', 'import', 'HEAD', commit],
    env,
  });
  await git.run(work, { args: ['read-tree', commit] });
  // The folder of a submodule is empty, and an empty folder is not kept: without this it would count as deleted.
  if (submodules.length > 0)
    await git.run(work, {
      args: ['update-index', '-z', '--skip-worktree', '--stdin'],
      stdin: submodules.map((path) => `${path}\0`).join(''),
    });
  const folder = join(work, '.git');
  await writeFile(join(folder, 'config'), buildConfig(identity));
  await mkdir(join(folder, 'hooks'), { recursive: true });
  await writeFile(join(folder, 'hooks', 'prepare-commit-msg'), buildHook(identity));
  await chmod(join(folder, 'hooks', 'prepare-commit-msg'), 0o755);
  for await (const path of listFiles(folder)) {
    const { size, mode } = await stat(join(folder, path));
    const { hash } = await blobs.putStream(createReadStream(join(folder, path)));
    setEntry(tree, `${REPOSITORY_FOLDER}/.git/${path}`, {
      hash,
      size,
      writtenAt: now.toISOString(),
      ...(mode & 0o100 ? { mode: 'executable' } : {}),
    });
  }
}

async function* listFiles(folder: string, prefix = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(join(folder, prefix))) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* listFiles(folder, `${path}/`);
    else if (entry.isFile()) yield path;
  }
}

function buildConfig({ name, email }: AgentIdentity): string {
  return [
    '[core]',
    '\trepositoryformatversion = 0',
    '\tfilemode = true',
    '\tbare = false',
    '\tlogallrefupdates = true',
    '[user]',
    `\tname = ${name}`,
    `\temail = ${email}`,
    '[gc]',
    '\tauto = 0',
    '[maintenance]',
    '\tauto = false',
    '[advice]',
    '\tdetachedHead = false',
    '',
  ].join('\n');
}

/** Signs off every commit. `git commit --no-verify` does not skip this hook. */
function buildHook({ signOff }: AgentIdentity): string {
  return `#!/bin/sh\nexec git interpret-trailers --in-place --if-exists addIfDifferent --trailer '${signOff}' "$1"\n`;
}

function setEntry(tree: Tree, path: string, entry: Tree[string]): void {
  // Assigning to a path such as `__proto__` would not create a property.
  Object.defineProperty(tree, path, { value: entry, enumerable: true, configurable: true, writable: true });
}
