import type { RehearsalAnswer } from '../rehearsal-policy.js';
import type { PastCall } from './past-call.js';
import { act, call, filterCalls, finishTodo, type Scene } from './scene.js';

/** Writes the todos of the next phase. */
export function planPhase(phase: string, description: string, todos: readonly string[]): RehearsalAnswer {
  return finishTodo(
    'Planned the next phase.',
    call('todo_write', { phase, description, todos: todos.map((content, index) => ({ id: index + 1, content })) }),
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

/** Reads the files that the current todo wants to be read and that were not read in this phase. Returns `undefined` if there are none. */
export function readDemanded({ demands, calls }: Pick<Scene, 'demands' | 'calls'>): RehearsalAnswer | undefined {
  const read = filterCalls(calls, 'read_file').map(({ arguments: args }) => args['path']);
  const unread = demands
    .flatMap((demand) => /^(\S+) read from its beginning/.exec(demand)?.[1] ?? [])
    .filter((path) => !read.includes(path));
  return unread.length === 0 ? undefined : act('', ...unread.map((path) => call('read_file', { path })));
}

/** The files that the current todo wants to be changed. */
export function listDemandedChanges({ demands }: Pick<Scene, 'demands'>): readonly string[] {
  return demands.flatMap((demand) => /^(\S+): changed since/.exec(demand)?.[1] ?? []);
}
