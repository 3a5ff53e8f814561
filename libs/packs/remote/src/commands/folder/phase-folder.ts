import { ToolError } from '@phaseline/contracts';
import type { FileMode } from '@phaseline/domain';
import {
  contentHash,
  getReadOnlyReason,
  InvalidPath,
  normaliseNewPath,
  normalisePath,
  removeDiskFile,
  splitIntoBatches,
  type FileChange,
} from '@phaseline/workspace';
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDiskFile, removeWithFolders, writeDiskFile, type WorkspaceFile } from './disk-files.js';
import type { FolderRequest, FolderWork, OpenFolder, PhaseFolder, TakenIn } from './kept-folder.js';
import { Manifest, stampOf } from './manifest.js';
import { scanFolder, type ScannedEntry } from './scan-folder.js';

/**
 * Number of batches that are read and written side by side when a folder is built, so that the database and the disk work at the same
 * time, and of the files of each batch that are written side by side.
 */
const CONCURRENT_BATCHES = 2;
const CONCURRENT_WRITES = 8;
/**
 * Milliseconds between the last change of a file whose stamp was read and the start of a command. The clock of a file system ticks every
 * 1 to 10 ms; a change in the same tick would not change the stamp.
 */
const TICK_MS = 20;
/** Maximum number of files of git that one command may change. Git writes thousands at a time, when it imports or packs. */
const MAX_GIT_FILES = 50_000;

const TOO_MANY_BYTES = 'too many bytes were changed.';

class LimitExceeded extends Error {}

/** A file that differs from the manifest. */
type Difference =
  | { readonly path: string; readonly deleted: true }
  | { readonly path: string; readonly problem: string }
  | { readonly path: string; readonly content: Uint8Array; readonly mode: FileMode | 'plain'; readonly stamp: string };

/**
 * The folders of one phase on disk. The manifest says which files of the workspace the folder holds. The marker `running` exists while
 * the folder may differ from it: a process that finds one knows that another died, and undoes the differences instead of recording
 * them.
 */
export class PhaseFolderOnDisk implements PhaseFolder {
  private manifest: Manifest | undefined;
  private work: FolderWork = startWork();

  constructor(private readonly base: string) {}

  get folder(): string {
    return join(this.base, 'workspace');
  }

  get home(): string {
    return join(this.base, 'home');
  }

  get tmp(): string {
    return join(this.base, 'tmp');
  }

  /** Brings the folder to the state of the log and calls `work` with it. */
  async run<Result>(request: FolderRequest, work: (folder: OpenFolder) => Promise<Result>): Promise<Result> {
    assertFits(request);
    const manifest = await this.open(request.owner);
    this.work = startWork();
    const isUnfinished = await exists(this.marker);
    const differences = await this.compare(manifest, request, isUnfinished ? 0 : request.limits.maxChangedBytes);
    await writeFile(this.marker, '', { mode: 0o600 });
    const outside = receive(manifest, differences, request, isUnfinished);
    await this.bringToLog(manifest, request, outside);
    await manifest.save(this.manifestPlace);
    await emptyFolder(this.home);
    if ((await measureFolder(this.tmp)) > request.limits.maxWorkspaceBytes) await emptyFolder(this.tmp);
    await sleep(manifest.lastChangeMs + TICK_MS - performance.now());
    let isFinished = false;
    const takeIn = async (): Promise<TakenIn> => {
      const found = await this.takeIn(manifest, request);
      isFinished = found.isComplete;
      return found;
    };
    const { folder, home, tmp, work: counts } = this;
    const result = await work({
      folder,
      home,
      tmp,
      work: counts,
      outside: outside.taken,
      restored: outside.restored,
      takeIn,
    });
    if (isFinished) {
      await manifest.save(this.manifestPlace);
      await rm(this.marker, { force: true });
    }
    return result;
  }

  /** Removes the folders, with everything in them. */
  async remove(): Promise<void> {
    this.manifest = undefined;
    // Without its manifest the rest is never trusted, should this process die here.
    await rm(this.manifestPlace, { force: true });
    await removeDiskFile(this.base);
  }

  private get marker(): string {
    return join(this.base, 'running');
  }

  private get manifestPlace(): string {
    return join(this.base, 'manifest.json');
  }

  private async open(owner: number | undefined): Promise<Manifest> {
    this.manifest ??= await Manifest.load(this.manifestPlace);
    if (!this.manifest) {
      // Nothing is known about what is there.
      await removeDiskFile(this.folder);
      this.manifest = Manifest.empty();
    }
    await mkdir(this.base, { recursive: true, mode: 0o700 });
    if (owner !== undefined) {
      // The manifest is here too: the user of commands may pass, and read nothing.
      await chown(this.base, process.getuid!(), owner);
      await chmod(this.base, 0o710);
    }
    for (const place of [this.folder, this.home, this.tmp]) await mkdir(place, { recursive: true });
    return this.manifest;
  }

  /**
   * Finds the files that differ from the manifest, and refreshes the stamps of files that were only touched. Reads at most `maxBytes`;
   * a touched file beyond them counts as different.
   */
  private async compare(manifest: Manifest, request: FolderRequest, maxBytes: number): Promise<Difference[]> {
    let bytes = 0;
    const skipped = getSkippedFolders(request);
    const seen = new Set<string>();
    const differences: Difference[] = [];
    const onRemoved = (path: string): void =>
      void differences.push({ path, problem: 'its name is not valid UTF-8; it was removed.' });
    for await (const entries of scanFolder(this.folder, skipped, onRemoved)) {
      request.signal.throwIfAborted();
      for (const entry of entries) {
        seen.add(entry.path);
        this.work.scanned += 1;
        if (manifest.get(entry.path)?.stamp === stampOf(entry.stat)) continue;
        bytes += Number(entry.stat.size);
        const difference =
          bytes > maxBytes ? { path: entry.path, problem: TOO_MANY_BYTES } : await this.compareFile(manifest, entry);
        if (difference) differences.push(difference);
      }
    }
    for (const path of manifest.paths())
      if (!seen.has(path) && !isInFolder(path, skipped)) differences.push({ path, deleted: true });
    return differences;
  }

  private async compareFile(manifest: Manifest, entry: ScannedEntry): Promise<Difference | undefined> {
    const { path } = entry;
    const held = manifest.get(path);
    const found = await readDiskFile(this.folder, entry);
    this.work.read += 1;
    this.work.readBytes += Number(entry.stat.size);
    if ('problem' in found) return { path, problem: found.problem };
    const { content, mode, stamp } = found;
    const hash = contentHash(content);
    if (held?.hash !== hash || held.mode !== mode) return { path, content, mode: mode ?? 'plain', stamp };
    manifest.set(path, { ...held, stamp });
    return undefined;
  }

  /** Makes the folder hold the files of the log, and those that were taken in. */
  private async bringToLog(manifest: Manifest, request: FolderRequest, { taken, undone }: OutsideEdits): Promise<void> {
    const { workspace, signal, owner } = request;
    const { tree } = workspace;
    const kept = new Set(taken.map(({ path }) => path));
    for (const path of new Set([...undone, ...manifest.paths()])) {
      if (kept.has(path) || (Object.hasOwn(tree, path) && manifest.get(path))) continue;
      await removeWithFolders(this.folder, path);
      manifest.delete(path);
    }
    const due = Object.entries(tree).flatMap(([path, entry]) => {
      const held = manifest.get(path);
      const isHeld = held?.hash === entry.hash && held.mode === entry.mode;
      return kept.has(path) || isHeld ? [] : [{ ...entry, path }];
    });
    const write = async (file: WorkspaceFile, content?: Uint8Array): Promise<void> => {
      signal.throwIfAborted();
      manifest.set(file.path, await writeDiskFile(this.folder, file, content ?? workspace, owner));
      this.work.written += 1;
    };
    const batches = splitIntoBatches(due);
    const writeBatches = async (): Promise<void> => {
      for (const batch of batches) {
        if ('large' in batch) {
          await write(batch.large);
          continue;
        }
        const contents = await workspace.readAll(batch.files.map(({ path }) => path));
        const queue = batch.files.values();
        const writeFiles = async (): Promise<void> => {
          for (const file of queue) await write(file, contents.get(file.path));
        };
        await Promise.all(Array.from({ length: CONCURRENT_WRITES }, writeFiles));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_BATCHES }, writeBatches));
    await this.makeGitFolders(tree);
  }

  /** Git needs folders that may be empty, which the log does not know. */
  private async makeGitFolders(tree: object): Promise<void> {
    if (!Object.hasOwn(tree, '.git/HEAD')) return;
    for (const name of ['objects', 'refs']) await mkdir(join(this.folder, '.git', name), { recursive: true });
  }

  private async takeIn(
    manifest: Manifest,
    request: FolderRequest,
  ): Promise<TakenIn & { readonly isComplete: boolean }> {
    const files: FileChange[] = [];
    const rejected: string[] = [];
    const differences = await this.compare(manifest, request, request.limits.maxChangedBytes);
    try {
      assertWithinLimits(differences, request);
    } catch (error) {
      if (!(error instanceof LimitExceeded)) throw error;
      const reason = `no changes were stored: ${error.message}. Change fewer files per call.`;
      return { files, rejected: [reason], isComplete: false };
    }
    for (const difference of differences) {
      const { path } = difference;
      const problem = findProblem(difference, request);
      if (problem === undefined) {
        files.push(toChange(difference));
        remember(manifest, difference);
        continue;
      }
      rejected.push(`${JSON.stringify(path)}${'deleted' in difference ? ' was deleted' : ''}: ${problem}`);
      // What the log does not contain must not be seen by the next command. A file that it does contain is written again.
      manifest.delete(path);
      if (!('deleted' in difference)) await removeDiskFile(join(this.folder, path));
    }
    // Deletions first: a file may have replaced a folder.
    files.sort((a, b) => Number('deleted' in b) - Number('deleted' in a));
    return { files, rejected, isComplete: true };
  }
}

interface OutsideEdits {
  readonly taken: readonly FileChange[];
  /** For the model: the files that are restored. */
  readonly restored: readonly string[];
  /** Paths whose files on disk are replaced by those of the log, or removed. */
  readonly undone: readonly string[];
}

/**
 * Takes in what was changed while no command ran, or undoes it, as the settings say. Everything is undone after a process died, because
 * its command may have written only half of a file.
 */
function receive(
  manifest: Manifest,
  differences: readonly Difference[],
  request: FolderRequest,
  isUnfinished: boolean,
): OutsideEdits {
  const { workspace, settings } = request;
  const taken: FileChange[] = [];
  const restored: string[] = [];
  const undone: string[] = [];
  for (const difference of differences) {
    const { path } = difference;
    const held = manifest.get(path);
    const logged = Object.hasOwn(workspace.tree, path) ? workspace.tree[path] : undefined;
    // A change of the log since then wins, because it was recorded first.
    const isCurrent = held?.hash === logged?.hash && held?.mode === logged?.mode;
    const problem = isCurrent ? findProblem(difference, request) : 'the job changed the same file.';
    if (!isUnfinished && problem === undefined && settings.outsideEdits === 'take') {
      taken.push({ ...toChange(difference), origin: 'outside' });
      remember(manifest, difference);
      continue;
    }
    manifest.delete(path);
    undone.push(path);
    if (!isUnfinished) restored.push(problem === undefined ? path : `${path}: ${problem}`);
  }
  return { taken, restored, undone };
}

function assertFits({ workspace, limits }: FolderRequest): void {
  const files = Object.values(workspace.tree);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= limits.maxWorkspaceBytes) return;
  throw new ToolError(
    'workspace_too_large',
    `The workspace has ${files.length} files and ${bytes} bytes; a command can run on at most ${limits.maxWorkspaceBytes} bytes. Delete files that are not needed.`,
  );
}

function assertWithinLimits(differences: readonly Difference[], { limits }: FolderRequest): void {
  const tooManyBytes = `the changed files have more than ${limits.maxChangedBytes} bytes`;
  let files = 0;
  let gitFiles = 0;
  for (const difference of differences) {
    if ('problem' in difference && difference.problem === TOO_MANY_BYTES) throw new LimitExceeded(tooManyBytes);
    if (difference.path.startsWith('.git/')) gitFiles += 1;
    else files += 1;
  }
  if (files > limits.maxChangedFiles || gitFiles > MAX_GIT_FILES)
    throw new LimitExceeded(`more than ${limits.maxChangedFiles} files were changed`);
}

/** Names of folders that are not compared: caches, and those whose changes are not kept. */
function getSkippedFolders({ settings, limits }: FolderRequest): ReadonlySet<string> {
  return new Set([...settings.caches, ...limits.ignore]);
}

function isInFolder(path: string, names: ReadonlySet<string>): boolean {
  return path
    .split('/')
    .slice(0, -1)
    .some((part) => names.has(part));
}

function findProblem(difference: Difference, { kind }: FolderRequest): string | undefined {
  const { path } = difference;
  if ('problem' in difference) return difference.problem;
  try {
    const clean = 'deleted' in difference ? normalisePath(path) : normaliseNewPath(path);
    return clean === path ? getReadOnlyReason(clean, kind) : 'the workspace does not accept this file name.';
  } catch (error) {
    if (error instanceof InvalidPath) return error.message;
    throw error;
  }
}

function toChange(difference: Difference): FileChange {
  if ('deleted' in difference) return difference;
  if ('problem' in difference) throw new Error(`${difference.path} cannot be kept: ${difference.problem}`);
  const { path, content, mode } = difference;
  return { path, content, mode };
}

function remember(manifest: Manifest, difference: Difference): void {
  if (!('content' in difference)) {
    manifest.delete(difference.path);
    return;
  }
  const { path, content, mode, stamp } = difference;
  manifest.set(path, { hash: contentHash(content), ...(mode === 'plain' ? {} : { mode }), stamp });
}

function startWork(): FolderWork {
  return { scanned: 0, read: 0, readBytes: 0, written: 0 };
}

async function sleep(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function exists(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}

async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await removeDiskFile(join(folder, name));
}

async function measureFolder(folder: string): Promise<number> {
  let bytes = 0;
  for await (const entries of scanFolder(folder, new Set(), () => {}))
    for (const { stat: found } of entries) bytes += Number(found.blocks * 512n);
  return bytes;
}
