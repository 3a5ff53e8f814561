import type { Spending, Todo } from '@phaseline/domain';
import type { JobAt } from '../view/time-travel.js';

interface FileEntry {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly writtenAt: string;
}

interface ChangedFile {
  readonly path: string;
  readonly from: Omit<FileEntry, 'path'>;
  readonly to: Omit<FileEntry, 'path'>;
}

/** File changes by kind; each list is sorted by path. */
export interface FileChanges {
  readonly added: readonly FileEntry[];
  readonly removed: readonly FileEntry[];
  readonly changed: readonly ChangedFile[];
}

/** A phase whose status changed: it started, ended, or both. */
export interface PhaseChange {
  readonly phase: number;
  readonly kind: string;
  readonly name: string;
  /** Status at the first position; absent when the phase had not started. */
  readonly from?: string;
  readonly to: string;
}

export interface TodoChange {
  readonly phase: number;
  readonly id: number;
  readonly content: string;
  /** Status at the first position; absent when the todo did not exist yet. */
  readonly from?: Todo['status'];
  readonly to: Todo['status'];
  readonly note?: string;
}

/** Todos of one phase at one position. */
export interface PhaseTodos {
  readonly phase: number;
  readonly todos: readonly Todo[];
}

type Tree = JobAt['files'];

export function diffFiles(from: Tree, to: Tree): FileChanges {
  const paths = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const added: FileEntry[] = [];
  const removed: FileEntry[] = [];
  const changed: ChangedFile[] = [];
  for (const path of paths) {
    const [before, after] = [entryOf(from, path), entryOf(to, path)];
    if (!before && after) added.push({ path, ...after });
    else if (before && !after) removed.push({ path, ...before });
    else if (before && after && before.hash !== after.hash) changed.push({ path, from: before, to: after });
  }
  return { added, removed, changed };
}

function entryOf(tree: Tree, path: string): Omit<FileEntry, 'path'> | undefined {
  // The name of a file may be that of a property that every object inherits.
  return Object.hasOwn(tree, path) ? tree[path] : undefined;
}

/** Returns the phases whose status differs between the two positions. */
export function diffPhases(from: JobAt, to: JobAt): readonly PhaseChange[] {
  const before = new Map(from.phases.map((record) => [record.phase, statusOf(record)]));
  return to.phases.flatMap((record) => {
    const { phase, kind, name } = record;
    const [was, is] = [before.get(phase), statusOf(record)];
    return was === is ? [] : [{ phase, kind, name, ...(was === undefined ? {} : { from: was }), to: is }];
  });
}

function statusOf({ result }: JobAt['phases'][number]): string {
  if (!result) return 'running';
  return result.kind === 'completed' ? `completed: ${result.outcome}` : result.kind;
}

/** Returns the todos that are new or whose status changed, phase by phase. */
export function diffTodos(from: readonly PhaseTodos[], to: readonly PhaseTodos[]): readonly TodoChange[] {
  return to.flatMap(({ phase, todos }) => {
    const before = new Map(from.find((other) => other.phase === phase)?.todos.map((todo) => [todo.id, todo]));
    return todos.flatMap(({ id, content, status, note }): TodoChange[] => {
      const was = before.get(id)?.status;
      if (was === status) return [];
      return [
        { phase, id, content, ...(was ? { from: was } : {}), to: status, ...(note === undefined ? {} : { note }) },
      ];
    });
  });
}

/** Returns `to` minus `from`. */
export function subtractSpending(to: Spending, from: Spending): Spending {
  return {
    steps: to.steps - from.steps,
    inputTokens: to.inputTokens - from.inputTokens,
    cachedInputTokens: to.cachedInputTokens - from.cachedInputTokens,
    outputTokens: to.outputTokens - from.outputTokens,
    costMicroUsd: to.costMicroUsd - from.costMicroUsd,
  };
}
