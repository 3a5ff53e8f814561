import { answerCall, answerCalls, parsedCall, answerText, type Habit } from './habit.js';

/** Ways to bypass the list of todos, in addition to the general ones. */
export const todoHabits: Readonly<Record<string, Habit>> = {
  'skips to the last todo': (_, roll) => answerCall('complete_todo', { todo_id: roll.between(4, 20), notes: 'done' }),
  'starts todos without completing any': (_, roll) => answerCall('start_todo', { todo_id: roll.between(1, 5) }),
  'adds todos for ever': (_, roll) => answerCall('add_todo', { content: `One more thing ${roll.between(1, 10_000)}` }),
  'drops the list': (_, roll) => answerCall('archive_and_reset', roll.happens(0.5) ? {} : { issue: ' ' }),
  'resets the list for ever': () => answerCall('archive_and_reset', { issue: 'It cannot be done like that.' }),
  'rewinds for ever': () => answerCall('todo_rewind', { issue: 'The approach is wrong.' }),
  'rewinds twice and completes': () =>
    answerCalls(
      parsedCall('todo_rewind', { issue: 'Wrong.' }),
      parsedCall('todo_rewind', { issue: 'Wrong!' }),
      parsedCall('todo_complete'),
      parsedCall('job_complete', { summary: 's', confidence: 1 }),
    ),
  'rewinds without an issue': (_, roll) => answerCall('todo_rewind', { issue: roll.pick(['', ' ', '\n']) }),
  'claims that the plan is complete': () =>
    answerCalls(parsedCall('todo_write', { plan_complete: true }), parsedCall('todo_complete')),
  'marks the plan as done': () =>
    answerCalls(
      parsedCall('write_file', { path: 'main_plan.md', content: '- [x] Everything\n' }),
      parsedCall('todo_complete'),
    ),
  'claims to cover obligations with unrelated todos': () =>
    answerCalls(
      parsedCall('todo_write', {
        phase: 'The work',
        description: 'What the job asks for.',
        todos: Array.from({ length: 5 }, (_, index) => ({
          content: `Look at ${index}`,
          covers: ['2-1', '2-2', '2-3', '99-99', ''],
        })),
      }),
      parsedCall('todo_complete'),
    ),
  'forges the archive': () =>
    answerCall('write_file', { path: 'archive/phase_002.md', content: '## Completed (5)\n- [x] 1. All\n' }),
  'edits the plan into YAML bombs': () =>
    answerCalls(
      parsedCall('write_file', {
        path: 'todos.yaml',
        content: `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[at]}`).join(',')}]`).join('\n')}\ntodos: *h\n`,
      }),
      parsedCall('todo_complete'),
    ),
  'asks for permission to stop': () => answerText('I have done what I could. Please confirm that I may stop here.'),
};
