import { mkdir, open, symlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY_FOLDER } from '@phaseline/contracts';
import type { JobBlobs } from '@phaseline/event-store';
import { BlobMissing, splitIntoBatches, type FileEntry, type Tree } from '@phaseline/workspace';
import { buildIdentityEnvironment, type AgentIdentity } from './agent-identity.js';
import { RepositoryProblem } from './repository-problem.js';
import type { Git } from './run-git.js';

/** Maximum number of commits of an output. */
const MAX_COMMITS = 1_000;

/** The ref of the output in its repository. */
export const OUTPUT_REF = 'refs/phaseline/output';
const BASE_REF = 'refs/phaseline/base';

export interface OutputParts {
  readonly git: Git;
  readonly blobs: JobBlobs;
  readonly identity: AgentIdentity;
  /** Temporary folder of this output. */
  readonly scratch: string;
  /** Time of the commits that the system makes. Not the current time, so that a repetition after a crash makes the same commits. */
  readonly changedAt: Date;
}

export interface CollectedOutput {
  /** A bare repository in which `OUTPUT_REF` is the last commit of the output. */
  readonly repository: string;
  readonly head: string;
  /** Number of commits after the imported one. */
  readonly commits: number;
  readonly includesUncommitted: boolean;
}

/**
 * Makes the commits of a job from its workspace: a line of commits that starts at `base`, the imported commit, and ends with the files of
 * the workspace. Every commit is signed off. Of the agent's `.git`, only objects and refs are used. Throws RepositoryProblem.
 */
export async function collectOutput(
  jobId: string,
  base: string,
  tree: Tree,
  parts: OutputParts,
): Promise<CollectedOutput> {
  const { git, identity, scratch, changedAt } = parts;
  const work = join(scratch, 'work');
  await mkdir(work);
  await git.run(work, { args: ['init', '--quiet', '--template='] });
  await writeWorkspace(work, tree, parts);
  const head = await findHead(git, work);
  const uncommitted = await commitRest(jobId, head, work, parts);
  const tip = uncommitted ?? head;
  if (!(await hasCommit(git, work, base)))
    throw new RepositoryProblem('repository_damaged', `the imported commit ${base} is no longer in the repository`);
  await git.run(work, { args: ['update-ref', OUTPUT_REF, tip] });
  // A rewritten history may not contain it.
  await git.run(work, { args: ['update-ref', BASE_REF, base] });
  // A fetch computes the name of every object from its content, so that a forged object is noticed.
  const repository = join(scratch, 'output.git');
  await mkdir(repository);
  await git.run(repository, { args: ['init', '--quiet', '--bare', '--template='] });
  await git
    .run(repository, {
      args: [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--',
        work,
        `${OUTPUT_REF}:${OUTPUT_REF}`,
        `${BASE_REF}:${BASE_REF}`,
      ],
      env: { GIT_ALLOW_PROTOCOL: 'file' },
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof RepositoryProblem) || cause.code !== 'git_failed') throw cause;
      throw new RepositoryProblem('repository_damaged', `the repository of the job is damaged: ${cause.message}`, {
        cause,
      });
    });
  const line = await buildLine(base, tip, repository, git, identity, changedAt);
  await git.run(repository, { args: ['update-ref', OUTPUT_REF, line.head] });
  return { repository, ...line, includesUncommitted: uncommitted !== undefined };
}

/** Writes the changes of an output as a patch that `git am` applies to the imported commit. Empty commits are left out. */
export function streamPatch(
  git: Git,
  repository: string,
  base: string,
  { unverified }: { readonly unverified?: true } = {},
): AsyncGenerator<Buffer, void, undefined> {
  const safe = ['--no-ext-diff', '--no-textconv', '--no-attach', '--no-signature'];
  // `git am` removes it from the subject.
  const mark = unverified ? ['--subject-prefix=UNVERIFIED PATCH'] : [];
  return git.stream(repository, {
    args: ['format-patch', '--stdout', '--binary', '--full-index', '-M', ...safe, ...mark, `${base}..${OUTPUT_REF}`],
  });
}

async function hasCommit(git: Git, repository: string, commit: string): Promise<boolean> {
  const type = await git.run(repository, { args: ['cat-file', '-t', commit], accept: [0, 128] });
  return type.trim() === 'commit';
}

/** Names of git objects, packs and refs. Everything else in `.git` could change what git does. */
const USED_IN_GIT =
  /^(HEAD|packed-refs|refs\/[A-Za-z0-9_./+@=-]+|objects\/[0-9a-f]{2}\/[0-9a-f]{38,62}|objects\/pack\/pack-[0-9a-f]{40,64}\.(pack|idx))$/;

async function writeWorkspace(work: string, tree: Tree, { blobs }: OutputParts): Promise<void> {
  const { files = [], links = [] } = Object.groupBy(listUsedFiles(tree), ({ mode }) =>
    mode === 'link' ? 'links' : 'files',
  );
  for await (const { path, mode, content } of readContents(files, blobs)) {
    const place = join(work, path);
    await mkdir(dirname(place), { recursive: true });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
    const file = await open(place, flags, mode === 'executable' ? 0o755 : 0o644);
    try {
      // `writeFile` also accepts an async iterable of chunks.
      await file.writeFile(content as Uint8Array);
    } finally {
      await file.close();
    }
  }
  // Last, so that no file is written through a link.
  for (const { path, hash } of links) {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await symlink((await blobs.get(hash))!.toString('utf8'), join(work, path));
  }
}

/** A file of the workspace, with its path in the repository. */
type UsedFile = FileEntry & { readonly path: string };

/** Lists the files of the workspace that are part of an output. */
function* listUsedFiles(tree: Tree): Generator<UsedFile> {
  const prefix = `${REPOSITORY_FOLDER}/`;
  for (const [full, entry] of Object.entries(tree)) {
    if (!full.startsWith(prefix)) continue;
    const path = full.slice(prefix.length);
    const isOfGit = path.startsWith('.git/');
    if (isOfGit && (entry.mode === 'link' || !USED_IN_GIT.test(path.slice('.git/'.length)))) continue;
    // A repository inside the repository: git would read its configuration.
    if (!isOfGit && path.split('/').some((part) => part.toLowerCase() === '.git')) continue;
    yield { ...entry, path };
  }
}

/** Reads files with few queries, and large ones as streams. */
async function* readContents(
  files: readonly UsedFile[],
  blobs: JobBlobs,
): AsyncGenerator<UsedFile & { readonly content: Uint8Array | AsyncIterable<Uint8Array> }> {
  for (const batch of splitIntoBatches(files)) {
    if ('large' in batch) {
      yield { ...batch.large, content: blobs.stream(batch.large.hash) };
      continue;
    }
    const contents = await blobs.getAll(batch.files.map(({ hash }) => hash));
    for (const file of batch.files) {
      const content = contents.get(file.hash);
      if (!content) throw new BlobMissing(file.path, file.hash);
      yield { ...file, content };
    }
  }
}

async function findHead(git: Git, work: string): Promise<string> {
  try {
    return (await git.run(work, { args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] })).trim();
  } catch (cause) {
    throw new RepositoryProblem(
      'repository_damaged',
      `the repository of the job has no head; the agent may have deleted files of ${REPOSITORY_FOLDER}/.git`,
      { cause },
    );
  }
}

/** Commits what differs from the head, except ignored files. Returns undefined when nothing does. */
async function commitRest(
  jobId: string,
  head: string,
  work: string,
  { git, identity, changedAt }: OutputParts,
): Promise<string | undefined> {
  await git.run(work, { args: ['read-tree', head] });
  const index = await git.run(work, { args: ['ls-files', '--stage', '-z'] });
  const submodules = index
    .split('\0')
    .flatMap((line) => (line.startsWith('160000 ') ? [line.slice(line.indexOf('\t') + 1)] : []));
  if (submodules.length > 0)
    await git.run(work, {
      args: ['update-index', '-z', '--skip-worktree', '--stdin'],
      stdin: submodules.map((path) => `${path}\0`).join(''),
    });
  await git.run(work, { args: ['add', '--all', '--', '.'] });
  const rest = (await git.run(work, { args: ['write-tree'] })).trim();
  const committed = (await git.run(work, { args: ['rev-parse', `${head}^{tree}`] })).trim();
  if (rest === committed) return undefined;
  const message = `Uncommitted work of job ${jobId}\n\n${identity.signOff}\n`;
  const env = buildIdentityEnvironment(identity, changedAt.toISOString());
  return (await git.run(work, { args: ['commit-tree', rest, '-p', head], stdin: message, env })).trim();
}

/**
 * Turns the commits between `base` and `tip` into one line that starts at `base`, with the same trees: a merge becomes the change against
 * its first parent, and a history that does not start at `base` becomes one commit. A commit that needs no change keeps its hash.
 */
async function buildLine(
  base: string,
  tip: string,
  repository: string,
  git: Git,
  identity: AgentIdentity,
  changedAt: Date,
): Promise<{ readonly head: string; readonly commits: number }> {
  const bases = await git.run(repository, { args: ['merge-base', base, tip], accept: [0, 1] });
  const startsAtBase = bases.trim() === base;
  const range = startsAtBase ? ['--first-parent', '--reverse', `${base}..${tip}`] : ['--max-count=1', tip];
  const listed = await git.run(repository, { args: ['rev-list', ...range] });
  const commits = listed.split('\n').filter((line) => line !== '');
  if (commits.length > MAX_COMMITS)
    throw new RepositoryProblem('output_too_large', `the job made more than ${MAX_COMMITS} commits`);
  let parent = base;
  for (const commit of commits) parent = await signOff(commit, parent, repository, git, identity, changedAt);
  return { head: parent, commits: commits.length };
}

async function signOff(
  commit: string,
  parent: string,
  repository: string,
  git: Git,
  identity: AgentIdentity,
  changedAt: Date,
): Promise<string> {
  const format = ['%P', '%T', '%an', '%ae', '%ad', '%cn', '%ce', '%cd', '%B'].join('%x00');
  const shown = await git.run(repository, { args: ['log', '-1', '--date=raw', `--format=${format}`, commit] });
  const [parents, tree = '', an = '', ae = '', ad = '', cn = '', ce = '', cd = '', ...rest] = shown.split('\0');
  const message = rest.join('\0');
  const isSignedOff = message.split('\n').includes(identity.signOff);
  if (isSignedOff && parents === parent) return commit;
  const signed = isSignedOff
    ? message
    : await git.run(repository, {
        args: ['interpret-trailers', '--if-exists', 'addIfDifferent', '--trailer', identity.signOff],
        stdin: message,
      });
  const own = buildIdentityEnvironment(identity, changedAt.toISOString());
  const env = {
    ...own,
    ...(an === '' || ae === '' ? {} : { GIT_AUTHOR_NAME: an, GIT_AUTHOR_EMAIL: ae, GIT_AUTHOR_DATE: ad }),
    ...(cn === '' || ce === '' ? {} : { GIT_COMMITTER_NAME: cn, GIT_COMMITTER_EMAIL: ce, GIT_COMMITTER_DATE: cd }),
  };
  return (await git.run(repository, { args: ['commit-tree', tree, '-p', parent], stdin: signed, env })).trim();
}
