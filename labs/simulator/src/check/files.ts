import type { RunResult } from '../run/world.js';
import { readJobLogs, type JobLog } from './streams.js';

type Files = Map<string, string>;

/** Folders into which only agents, tools and people write. */
const WATCHED = /^(?:found|notes|src)\//;

/**
 * Checks that each phase starts with the files that the phase before it left, and with the edits that people made between the two. After the
 * work on an item was taken back, it starts with the files with which that work began.
 * The files are counted from the events, without the folds of the engine.
 */
export function* checkFiles(remains: RunResult): Iterable<string> {
  for (const log of readJobLogs(remains)) {
    for (const [index, { phase, events }] of log.phases.entries()) {
      const [first] = events;
      const next = log.phases[index + 1];
      if (first?.event.type !== 'PhaseStarted' || next?.events[0]?.event.type !== 'PhaseStarted') continue;
      const restored = findRestored(log, phase);
      const files = restored ?? watch(first.event.data.workspace.tree);
      for (const { event } of restored ? [] : events) {
        if (event.type === 'FileWritten') write(files, event.data.path, event.data.hash);
        if (event.type === 'FileDeleted') write(files, event.data.path, undefined);
      }
      applyEditsBetween(log, files, phase);
      const found = watch(next.events[0].event.data.workspace.tree);
      for (const path of new Set([...files.keys(), ...found.keys()]))
        if (files.get(path) !== found.get(path))
          yield `${log.agent} phase ${phase + 1} starts with ${describe(found, path)}, but phase ${phase} left ${describe(files, path)}`;
    }
  }
}

/** The files to which the workspace returned after a phase, if it did. */
function findRestored({ events, phases }: JobLog, phase: number): Files | undefined {
  const at = events.findIndex(({ event }) => event.type === 'PhaseEnded' && event.data.phase === phase);
  const until = events.findIndex(({ event }) => event.type === 'PhaseDispatched' && event.data.phase === phase + 1);
  const back = events.slice(at, until).find(({ event }) => event.type === 'HandoffRolledBack')?.event;
  return back?.type === 'HandoffRolledBack' ? watch(phases[back.data.to - 1]!.state.start.workspace.tree) : undefined;
}

/** Applies the edits that no phase received because the given one had ended. */
function applyEditsBetween({ events, phases }: JobLog, files: Files, phase: number): void {
  const from = phases[phase - 1]!.events[0]!.recorded.position;
  const until = phases[phase]!.events[0]!.recorded.position;
  for (const { event, recorded } of events)
    if (event.type === 'WorkspaceEdited' && event.data.phase === undefined)
      if (recorded.position > from && recorded.position < until) write(files, event.data.path, event.data.file?.hash);
}

function watch(tree: Readonly<Record<string, { readonly hash: string }>>): Files {
  return new Map(Object.entries(tree).flatMap(([path, { hash }]) => (WATCHED.test(path) ? [[path, hash]] : [])));
}

function write(files: Files, path: string, hash: string | undefined): void {
  if (!WATCHED.test(path)) return;
  if (hash === undefined) files.delete(path);
  else files.set(path, hash);
}

function describe(files: Files, path: string): string {
  const hash = files.get(path);
  return hash === undefined ? `no ${path}` : `${path} (${hash.slice(0, 8)})`;
}
