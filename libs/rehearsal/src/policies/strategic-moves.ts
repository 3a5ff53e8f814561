import type { JsonObject } from '@phaseline/basics';
import type { RehearsalAnswer, RehearsalCall } from '../rehearsal-policy.js';
import type { PastCall } from './past-call.js';
import { act, call, filterCalls, finishTodo, type Scene } from './scene.js';

/** A path, or a check. */
type Output = string | JsonObject;

/** A todo, and what it must produce. */
export type PlannedTodo = readonly [content: string, ...outputs: readonly Output[]];

/** The output of a todo that looks at something or changes something outside the workspace: an ended call of one of the tools. */
export function callOf(tool: string, more: JsonObject = {}): Output {
  return { call: { tool, ...more } };
}

/** The output of a todo that reads a file, given by its path or a glob. */
export const readOf = (path: string): Output => callOf('read_file', { args: { path: { glob: path } } });

/** Writes the todos of the next phase. */
export function planPhase(phase: string, description: string, todos: readonly PlannedTodo[]): RehearsalAnswer {
  return finishTodo(
    'Planned the next phase.',
    call('todo_write', {
      phase,
      description,
      todos: todos.map(([content, ...outputs], index) => ({ id: index + 1, content, outputs })),
    }),
  );
}

/** Whether all files exist. Returns `undefined` if the request does not show it. */
export function areFilesWritten(onTodo: readonly PastCall[], paths: readonly string[]): boolean | undefined {
  const answers = paths.map((path) =>
    filterCalls(onTodo, 'file_exists').findLast(
      ({ arguments: args, shown }) => args['path'] === path && shown !== 'cleared',
    ),
  );
  if (answers.some((answer) => answer === undefined)) return undefined;
  return answers.every((answer) => / exists \(/.test(answer!.result));
}

export function checkFiles(paths: readonly string[]): RehearsalAnswer {
  return act('', ...paths.map((path) => call('file_exists', { path })));
}

/**
 * Reads the files that the current todo wants to be read and that were not read in this phase, and looks for learning traces if it wants that, in one
 * answer. Returns `undefined` if nothing is left.
 */
export function readDemanded(scene: Pick<Scene, 'demands' | 'calls' | 'phase'>): RehearsalAnswer | undefined {
  const { demands, calls } = scene;
  const read = filterCalls(calls, 'read_file').map(({ arguments: args }) => args['path']);
  const unread = demands
    .flatMap((demand) => /^(\S+) read from its beginning/.exec(demand)?.[1] ?? [])
    .filter((path) => !read.includes(path));
  const missing = [...queryDemanded(scene), ...unread.map((path) => call('read_file', { path }))];
  return missing.length === 0 ? undefined : act('', ...missing);
}

/** The search for learning traces, if the current todo wants one and the phase has made none. */
export function queryDemanded({
  demands,
  calls,
  phase,
}: Pick<Scene, 'demands' | 'calls' | 'phase'>): readonly RehearsalCall[] {
  const isDemanded = demands.some((demand) => demand.startsWith('a call of query_traces '));
  return isDemanded && filterCalls(calls, 'query_traces').length === 0 ? [call('query_traces', { text: phase })] : [];
}

/** The files that the current todo wants to be changed. */
export function listDemandedChanges({ demands }: Pick<Scene, 'demands'>): readonly string[] {
  return demands.flatMap((demand) => /^(\S+): changed since/.exec(demand)?.[1] ?? []);
}
