import {
  archivedPatchPath,
  findHash,
  foldJob,
  listChangedFiles,
  renderItemFiles,
  type JobDecision,
  type JobState,
  type PhaseState,
} from '@phaseline/domain';
import { contentHash, type BlobWrite } from '@phaseline/event-store';
import type { BlobReader } from '@phaseline/workspace';
import { createTwoFilesPatch } from 'diff';

type Tree = PhaseState['tree'];

/** Size in bytes up to which a file is part of the patch of given-up work; a larger one is only named. */
const MAX_PATCHED_BYTES = 1024 * 1024;
/** Files that change with the agent or the phase, and are no work on an item. */
const SYSTEM_FILES: ReadonlySet<string> = new Set(['instructions.md', 'workspace.md']);
/** Size in characters of such a patch. */
const MAX_PATCH_CHARACTERS = 8 * 1024 * 1024;

interface ItemParts {
  readonly blobs: BlobReader;
  readonly now: Date;
  /** Loads the files with which a phase of the job began. */
  readonly loadStartTree: (phase: number) => Promise<Tree | undefined>;
}

/** A decision with the contents that it refers to. */
export interface WithFiles {
  readonly decision: JobDecision;
  /** Contents to store in the same commit. */
  readonly blobs: readonly BlobWrite[];
}

/**
 * Adds the files that the system writes about the items of a loop to the start of the next phase: the list, the state of the loop, and the work
 * on a blocked item as a patch, because the workspace returned to the files before it.
 */
export async function addItemFiles(
  job: JobState,
  phase: PhaseState | undefined,
  decision: JobDecision,
  { blobs, now, loadStartTree }: ItemParts,
): Promise<WithFiles> {
  const { next } = decision;
  if (!next) return { decision, blobs: [] };
  const { data } = next.started;
  const after = foldJob(decision.job, job)!;
  const texts = [...renderItemFiles(after, data.identity.state, data.plan.received)];
  const written = texts.map((one) => one.path);
  const isWork = (path: string): boolean => !isOfSystem(path, written);
  const rolledBack = decision.job.some(({ type }) => type === 'HandoffRolledBack');
  const blocked = decision.job.flatMap((event) =>
    event.type === 'ItemChanged' && event.data.status === 'blocked' ? [event.data.id] : [],
  );
  if (rolledBack && phase && blocked[0] !== undefined) {
    const text = await renderPatch(data.workspace.tree, phase.tree, blobs, isWork);
    texts.push({ path: archivedPatchPath(blocked[0]), text });
  }
  if (texts.length === 0) return { decision, blobs: [] };
  const stored = texts.map(({ path, text }) => {
    const content = new TextEncoder().encode(text);
    return { path, blob: { hash: contentHash(content), content } };
  });
  const writtenAt = findLastChange(phase?.tree ?? {}) ?? now.toISOString();
  const entries = stored.map(({ path, blob }): [string, Tree[string]] => [
    path,
    { hash: blob.hash, size: blob.content.byteLength, writtenAt },
  ]);
  const tree = { ...data.workspace.tree, ...Object.fromEntries(entries) };
  const changes = await listItemChanges(data, isWork, loadStartTree);
  const plan = changes.length > 0 ? { ...data.plan, itemChanges: [...changes] } : data.plan;
  const changed = phase ? listChangedFiles(phase.tree, tree) : [];
  const workspace = { ...data.workspace, tree, ...(changed.length > 0 ? { changed: [...changed] } : {}) };
  const started = { ...next.started, data: { ...data, plan, workspace } };
  return { decision: { ...decision, next: { ...next, started } }, blobs: stored.map(({ blob }) => blob) };
}

type Started = NonNullable<JobDecision['next']>['started']['data'];
type ItemChange = NonNullable<Started['plan']['itemChanges']>[number];

/** Maximum number of changed files of an item that a phase is told about. */
const MAX_ITEM_CHANGES = 1_000;

/** The files that earlier phases changed for the item of a phase. */
async function listItemChanges(
  { identity, plan, workspace }: Started,
  isWork: (path: string) => boolean,
  loadStartTree: ItemParts['loadStartTree'],
): Promise<readonly ItemChange[]> {
  const { item } = plan;
  if (item?.began === undefined || item.began === identity.phase) return [];
  const before = await loadStartTree(item.began);
  if (!before) return [];
  const paths = listChangedFiles(before, workspace.tree).filter(isWork).slice(0, MAX_ITEM_CHANGES);
  return paths.map((path) => {
    const hash = findHash(before, path);
    return hash === undefined ? { path } : { path, before: hash };
  });
}

/** Renders the changes from one tree to another as a patch. Files that are no text, or too large, are named. */
async function renderPatch(
  before: Tree,
  after: Tree,
  blobs: BlobReader,
  isWork: (path: string) => boolean,
): Promise<string> {
  let text = '';
  for (const path of listChangedFiles(before, after).filter(isWork)) {
    const [left, right] = await Promise.all([readText(before, path, blobs), readText(after, path, blobs)]);
    const part =
      left === undefined || right === undefined
        ? `Binary or large file ${path} differs\n`
        : createTwoFilesPatch(`a/${path}`, `b/${path}`, left, right);
    if (text.length + part.length > MAX_PATCH_CHARACTERS) return `${text}More files differ; the patch is too long.\n`;
    text += part;
  }
  return text;
}

/** Text of a file, which is empty if the file does not exist; `undefined` for one that is no text, or too large. */
async function readText(tree: Tree, path: string, blobs: BlobReader): Promise<string | undefined> {
  if (!Object.hasOwn(tree, path)) return '';
  const entry = tree[path]!;
  if (entry.size > MAX_PATCHED_BYTES) return undefined;
  const content = await blobs.get(entry.hash);
  if (!content || content.includes(0)) return undefined;
  return new TextDecoder().decode(content);
}

/** Time of the last change of a file. The system's files take it, so that a fork that repeats a recording has the same files. */
function findLastChange(tree: Tree): string | undefined {
  return Object.values(tree)
    .map(({ writtenAt }) => writtenAt)
    .sort()
    .at(-1);
}

/** Whether a file is not the work of an agent: the system writes it, or it is a file of git, whose history the work does not need. */
function isOfSystem(path: string, written: readonly string[]): boolean {
  return written.includes(path) || SYSTEM_FILES.has(path) || path.split('/').includes('.git');
}
