import { matchesGlob } from '@phaseline/checks';
import { listDependencyFolders, type VerifierDefinition } from '@phaseline/contracts';
import type { FileEntry, Tree } from '@phaseline/workspace';

/** The files on which a verifier runs. */
export interface CheckoutPlan {
  readonly files: Tree;
  /** Inputs that the claimed tree changed, deleted, or added where that is not accepted, in order of their paths. */
  readonly changedInputs: readonly string[];
  /** Files that the set-up sees, with paths relative to the verifier's folder. */
  readonly setupFiles: Tree;
}

export interface CheckoutTrees {
  /** Files at the time of the claim. */
  readonly claimed: Tree;
  /** Files when the feature, or else the job, began. */
  readonly begin: Tree;
}

/**
 * Decides which files a verifier sees: the claimed ones, with every input as it was when the work began. Inputs that were added since
 * are kept, except configuration where the work began with inputs. Dependency folders are those of the beginning. Files of
 * git are left out: a verifier is about the files, not about the history.
 */
export function planCheckout(definition: VerifierDefinition, { claimed, begin }: CheckoutTrees): CheckoutPlan {
  const folder = definition.folder === undefined ? '' : `${definition.folder.replace(/\/$/, '')}/`;
  const { inputs = [], configuration = [] } = definition;
  const dependencies = new Set(listDependencyFolders(definition));
  const matches = (globs: readonly string[], path: string): boolean =>
    path.startsWith(folder) && globs.some((glob) => matchesGlob(glob, path.slice(folder.length)));
  const isDependency = (path: string): boolean =>
    path
      .split('/')
      .slice(0, -1)
      .some((part) => dependencies.has(part));
  const isInput = (path: string): boolean =>
    isDependency(path) || matches(inputs, path) || matches(configuration, path);
  const restored = Object.entries(begin).filter(([path]) => !isGit(path) && isInput(path));
  const isEstablished = restored.length > 0;
  const files = new Map<string, FileEntry>();
  const changed = new Set<string>();
  for (const [path, entry] of Object.entries(claimed)) {
    if (isGit(path)) continue;
    if (Object.hasOwn(begin, path) && isInput(path)) {
      if (!isSame(entry, begin[path]!)) changed.add(path);
      continue;
    }
    if (isDependency(path)) continue;
    if (isEstablished && matches(configuration, path)) changed.add(path);
    else files.set(path, entry);
  }
  for (const [path] of restored) if (!Object.hasOwn(claimed, path)) changed.add(path);
  removeConflicts(files, restored);
  for (const [path, entry] of restored) files.set(path, entry);
  return {
    files: Object.fromEntries(files),
    changedInputs: [...changed].sort(),
    setupFiles: selectSetupFiles(definition, folder, { claimed, begin }, isDependency),
  };
}

/** Recognises the paths of inputs that are no configuration, such as tests. */
export function createInputMatcher({ folder: of, inputs = [] }: VerifierDefinition): (path: string) => boolean {
  const folder = of === undefined ? '' : `${of.replace(/\/$/, '')}/`;
  return (path) => path.startsWith(folder) && inputs.some((glob) => matchesGlob(glob, path.slice(folder.length)));
}

/**
 * Selects what the set-up sees: the files of its cache key as they were when the work began, or the claimed ones where there were
 * none. It sees nothing else, so that its result depends on nothing that the name of the cache does not cover.
 */
function selectSetupFiles(
  { setup }: VerifierDefinition,
  folder: string,
  { claimed, begin }: CheckoutTrees,
  isDependency: (path: string) => boolean,
): Tree {
  if (!setup) return {};
  const select = (tree: Tree): [string, FileEntry][] =>
    Object.entries(tree)
      .filter(([path]) => path.startsWith(folder) && !isGit(path) && !isDependency(path))
      .map(([path, entry]): [string, FileEntry] => [path.slice(folder.length), entry])
      .filter(([path, { mode }]) => mode !== 'link' && setup.cacheKey.some((glob) => matchesGlob(glob, path)));
  const before = select(begin);
  return Object.fromEntries(before.length > 0 ? before : select(claimed));
}

/** Removes files that are in the place of a folder of restored files, or below a restored file. */
export function removeConflicts(
  files: Map<string, FileEntry>,
  restored: readonly (readonly [string, FileEntry])[],
): void {
  const paths = new Set(restored.map(([path]) => path));
  const folders = new Set(restored.flatMap(([path]) => listFolders(path)));
  for (const path of files.keys())
    if (folders.has(path) || listFolders(path).some((folder) => paths.has(folder))) files.delete(path);
}

/** Lists the folders that contain a path: `a`, `a/b` for `a/b/c`. */
function listFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

function isSame(left: FileEntry, right: FileEntry): boolean {
  return left.hash === right.hash && left.mode === right.mode;
}

function isGit(path: string): boolean {
  return path === '.git' || path.startsWith('.git/') || path.includes('/.git/');
}
