import type { RehearsalAnswer } from '../rehearsal-policy.js';
import type { PastCall } from './past-call.js';
import { act, call, filterCalls, finishTodo } from './scene.js';

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
