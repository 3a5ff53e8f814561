import type { HookHandler } from '../settings/hook-handler.js';
import { importSettings, type ImportedSettings, type ImportNote } from '../settings/import-settings.js';
import { findScriptNotes } from './find-script-notes.js';
import { computeGuardSetVersion, type GuardSetFile } from './guard-set.js';

/** Files with hooks, in the order in which they are read. The last two are those of a plugin. */
export const settingsFiles = ['settings.json', 'settings.local.json', 'hooks/hooks.json', 'hooks.json'] as const;

/** A guard set with its hooks and what there is to say about them. */
export interface ImportedSet extends ImportedSettings {
  readonly version: string;
}

/** Reads the hooks of a guard set from all of its settings files, and checks that their scripts are among its files. */
export function importFiles(files: readonly GuardSetFile[]): ImportedSet {
  const handlers: HookHandler[] = [];
  const lists = { unsupported: [] as ImportNote[], problems: [] as ImportNote[], notes: [] as ImportNote[] };
  let environment: Readonly<Record<string, string>> = {};
  const found = settingsFiles.flatMap((path) => files.find((file) => file.path === path) ?? []);
  for (const { path, content } of found) {
    const read = readSettings(content);
    // Settings of a person may have no hooks at all.
    if (path !== found[0]!.path && !('problem' in read) && !hasHooks(read.value)) continue;
    const imported = 'problem' in read ? undefined : importSettings(read.value);
    if ('problem' in read) lists.problems.push({ place: path, message: read.problem });
    if (!imported) continue;
    handlers.push(...imported.handlers);
    environment = { ...environment, ...imported.environment };
    for (const name of ['unsupported', 'problems', 'notes'] as const)
      lists[name].push(...imported[name].map((note) => ({ ...note, place: `${path}: ${note.place}` })));
  }
  if (found.length === 0)
    lists.problems.push({ place: '.', message: `there is none of the files ${settingsFiles.join(', ')}` });
  const named = numberHandlers(handlers);
  const scripts = findScriptNotes(named, new Set(files.map(({ path }) => path)));
  return {
    version: computeGuardSetVersion(files),
    handlers: named,
    environment,
    unsupported: [...lists.unsupported, ...scripts.unsupported],
    problems: [...lists.problems, ...scripts.problems],
    notes: lists.notes,
  };
}

function readSettings(content: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(Buffer.from(content).toString('utf8')) };
  } catch (error) {
    return { problem: `not valid JSON: ${(error as Error).message}` };
  }
}

function hasHooks(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'hooks' in value;
}

/** Numbers the hooks of all files together, so that each name is unique. */
function numberHandlers(handlers: readonly HookHandler[]): HookHandler[] {
  const numbers = new Map<string, number>();
  return handlers.map((handler) => {
    const number = (numbers.get(handler.point) ?? 0) + 1;
    numbers.set(handler.point, number);
    return { ...handler, name: `${handler.point}-${number}` };
  });
}
