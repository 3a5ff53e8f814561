import { type CallRecord, shortenArguments } from '@phaseline/checks';
import type { CallId, StreamId, ToolTraits } from '@phaseline/contracts';
import { getAdmittedCall, type PhaseCalls } from './calls.js';
import { keep, type ChangeEvent } from './changed-groups.js';
import type { FileEvent, PhaseTree } from './tree.js';

/** A file that calls wrote or deleted in the phase. */
export interface FileChangeRecord {
  /** Content hash before its first change in the phase; `null` if the file did not exist. */
  readonly atStart: string | null;
  /** Content hash when the todo began in which it last changed; `null` if the file did not exist. */
  readonly before: string | null;
  /** Place of the last change in the history of the phase. */
  readonly order: number;
}

/** Files that calls changed in the phase, by path. What the system writes itself, such as its part of the memory, is no work of the agent. */
export type ChangedFiles = Readonly<Record<string, FileChangeRecord>>;

/** A copy of the changed files that only one fold can see, and may therefore change in place. */
export type OwnChangedFiles = Record<string, FileChangeRecord>;

/** What was done in a phase, as far as checks ask for it. */
export interface PhaseWork {
  readonly streamId: StreamId;
  /** Number of events of the history before the first event of this stream; more than 0 only in a fork. */
  readonly earlierEvents: number;
  /** Ended calls, oldest first. */
  readonly calls: readonly CallRecord[];
  /** Place in the history at which the current todo began. */
  readonly todoFrom: number;
  readonly changedFiles: ChangedFiles;
  /** Id of the last call that completed a todo. */
  readonly completingCall?: CallId;
}

/** Traits of tools whose calls do not count as work on a todo. */
const bookkeepingTraits: ToolTraits = ['system', 'bookkeeping', 'claims_completion', 'changes_todos'];

/** Place in the history at which the first open todo of a phase began. */
export const FIRST_TODO_FROM = 1;

export function startWork(streamId: StreamId): PhaseWork {
  return { streamId, earlierEvents: 0, calls: [], todoFrom: FIRST_TODO_FROM, changedFiles: {} };
}

/** Folds one event. `version` is that of the event, `calls` are those before it, and `changedFiles` those after it. */
export function foldWork(
  work: PhaseWork,
  event: ChangeEvent,
  version: number,
  calls: PhaseCalls,
  changedFiles: ChangedFiles,
): PhaseWork {
  const order = work.earlierEvents + version;
  switch (event.type) {
    case 'ToolCallCompleted':
    case 'ToolCallFailed': {
      const { callId, name, arguments: args, traits } = getAdmittedCall(calls, event.data.callId);
      const { result } = event.data;
      const record: CallRecord = {
        callId,
        name,
        arguments: shortenArguments(args),
        ...(result ? { result } : {}),
        outcome: event.type === 'ToolCallCompleted' ? 'completed' : 'failed',
        ...(traits.some((trait) => bookkeepingTraits.includes(trait)) ? { bookkeeping: true } : {}),
        order,
        event: { streamId: work.streamId, version },
      };
      return { ...work, calls: [...work.calls, record] };
    }
    case 'FileWritten':
    case 'FileDeleted':
      return { ...work, changedFiles };
    case 'TransitionRejected':
      // The work that a controller demands again is counted from its decision on, as that of a todo from where it began.
      return event.data.gate === 'controller' ? { ...work, todoFrom: order } : work;
    case 'TodoCompleted':
      return { ...work, todoFrom: order, completingCall: event.data.callId };
    default:
      return keep(work, 'work', event);
  }
}

/** The change of a file since the current todo began; `undefined` if it did not change. */
export function findChangeOfTodo(work: PhaseWork, path: string): FileChangeRecord | undefined {
  const known = findChangeOfPhase(work, path);
  return known && known.order > work.todoFrom ? known : undefined;
}

/** The changes of a file in the phase; `undefined` if it did not change. */
export function findChangeOfPhase({ changedFiles }: PhaseWork, path: string): FileChangeRecord | undefined {
  return Object.hasOwn(changedFiles, path) ? changedFiles[path] : undefined;
}

/** Notes a change of a file in `work.changedFiles` in place. `tree` is the tree before it, and `order` its place in the history. */
export function noteChangedFile(
  work: { readonly changedFiles: OwnChangedFiles; readonly todoFrom: number },
  { data }: FileEvent,
  tree: PhaseTree,
  order: number,
): void {
  if (data.callId === undefined) return;
  const { path } = data;
  const { changedFiles: files, todoFrom } = work;
  const known = Object.hasOwn(files, path) ? files[path] : undefined;
  const current = Object.hasOwn(tree, path) ? tree[path]!.hash : null;
  const before = known && known.order > todoFrom ? known.before : current;
  // Assigning to a path such as `__proto__` would not create a property.
  Object.defineProperty(files, path, {
    value: { atStart: known ? known.atStart : current, before, order },
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
