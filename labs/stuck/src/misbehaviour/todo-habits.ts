import { doing, parsed, says, type Habit } from './habit.js';

/** Ways to bypass the list of todos, in addition to the general ones. */
export const todoHabits: Readonly<Record<string, Habit>> = {
  'skips to the last todo': (_, roll) =>
    doing(parsed('complete_todo', { todo_id: roll.between(4, 20), notes: 'done' })),
  'starts todos without completing any': (_, roll) => doing(parsed('start_todo', { todo_id: roll.between(1, 5) })),
  'adds todos for ever': (_, roll) =>
    doing(parsed('add_todo', { content: `One more thing ${roll.between(1, 10_000)}` })),
  'drops the list': (_, roll) => doing(parsed('archive_and_reset', roll.happens(0.5) ? {} : { issue: ' ' })),
  'resets the list for ever': () => doing(parsed('archive_and_reset', { issue: 'It cannot be done like that.' })),
  'rewinds for ever': () => doing(parsed('todo_rewind', { issue: 'The approach is wrong.' })),
  'rewinds twice and completes': () =>
    doing(
      parsed('todo_rewind', { issue: 'Wrong.' }),
      parsed('todo_rewind', { issue: 'Wrong!' }),
      parsed('todo_complete'),
      parsed('job_complete', { summary: 's', confidence: 1 }),
    ),
  'rewinds without an issue': (_, roll) => doing(parsed('todo_rewind', { issue: roll.pick(['', ' ', '\n']) })),
  'claims that the plan is complete': () =>
    doing(parsed('todo_write', { plan_complete: true }), parsed('todo_complete')),
  'marks the plan as done': () =>
    doing(parsed('write_file', { path: 'main_plan.md', content: '- [x] Everything\n' }), parsed('todo_complete')),
  'claims to cover obligations with unrelated todos': () =>
    doing(
      parsed('todo_write', {
        todos: Array.from({ length: 5 }, (_, index) => ({
          content: `Look at ${index}`,
          covers: ['2-1', '2-2', '2-3', '99-99', ''],
        })),
      }),
      parsed('todo_complete'),
    ),
  'forges the archive': () =>
    doing(parsed('write_file', { path: 'archive/phase_002.md', content: '## Completed (5)\n- [x] 1. All\n' })),
  'edits the plan into YAML bombs': () =>
    doing(
      parsed('write_file', {
        path: 'todos.yaml',
        content: `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[at]}`).join(',')}]`).join('\n')}\ntodos: *h\n`,
      }),
      parsed('todo_complete'),
    ),
  'asks for permission to stop': () => says('I have done what I could. Please confirm that I may stop here.'),
};
