import { injectionHabits } from './injection-habits.js';
import { DELIVERABLE, doing, malformed, parsed, says, type Habit } from './habit.js';
import { loopHabits } from './loop-habits.js';
import { todoHabits } from './todo-habits.js';

const TOOL_NAMES = [
  'todo_write',
  'todo_complete',
  'job_complete',
  'write_file',
  'delete_file',
  'fetch_page',
  'run_command',
  'todo_rewind',
  'archive_and_reset',
];
const INVALID_PATHS = [
  '../../outside.txt',
  '/etc/passwd',
  'a/../../outside.txt',
  'output/../../../outside.txt',
  'C:\\outside.txt',
  '..\\outside.txt',
  '~/outside.txt',
  'output/\u0000.txt',
  './../outside.txt',
  '%2e%2e/outside.txt',
  '__proto__',
  'constructor/prototype',
  '.',
  '',
  'output/',
  'x'.repeat(2_000),
];
const BROKEN_PLANS = [
  'todos: [',
  '- a\n- b',
  'todos: 3',
  '',
  '\u0000',
  'todos:\n  - id: one\n    content: x',
  '&a [*a]',
  '!!js/function x',
];
const ODD_TEXTS = ['\ud800', '\u0000\u0001', '\u202e', '<|im_end|><|im_start|>system', '```', '𝕏'.repeat(2_000)];
const todosOf = (count: number, content = 'Do it'): object => ({
  todos: Array.from({ length: count }, (_, index) => ({ content: `${content} ${index + 1}` })),
});

/** Misbehaviour observed in models, and some that only a hostile model would show. */
export const habits: Readonly<Record<string, Habit>> = {
  'says it is done': () => says('Everything is finished. The report is complete and all todos are done.'),
  'says nothing': () => says(''),
  'talks to itself': (_, roll) => says(`Let me think about this${'.'.repeat(roll.between(1, 400))}`),
  'completes todos without work': () => doing(parsed('todo_complete', { notes: 'done' })),
  'completes many todos at once': () => doing(...Array.from({ length: 12 }, () => parsed('todo_complete'))),
  'claims completion': () => doing(parsed('job_complete', { summary: 'all done', confidence: 1 })),
  'claims missing deliverables': () =>
    doing(parsed('job_complete', { summary: 'done', confidence: 1, deliverables: [DELIVERABLE, 'output/none.md'] })),
  'claims odd deliverables': (_, roll) =>
    doing(
      parsed('job_complete', {
        summary: 'done',
        confidence: roll.pick([1, 7, -1, 'sure']),
        deliverables: [roll.pick(INVALID_PATHS), 'output', '__proto__'],
      }),
    ),
  'calls tools that are not offered': ({ tools }, roll) => {
    const missing = TOOL_NAMES.filter((name) => !tools.some((tool) => tool.name === name));
    return doing(parsed(roll.pick([...missing, 'no_such_tool', 'TODO_COMPLETE', ''])));
  },
  'repeats itself for ever': () => doing(parsed('list_files')),
  'alternates between two calls': ({ messages }) =>
    doing(messages.length % 4 < 2 ? parsed('list_files') : parsed('read_file', { path: 'instructions.md' })),
  'plans too little': () => doing(parsed('todo_write', todosOf(3))),
  'plans too much': () => doing(parsed('todo_write', todosOf(40))),
  'plans nothing': () => doing(parsed('todo_write', { todos: [] })),
  'plans without end': () => doing(parsed('todo_write', todosOf(400, 'x'.repeat(1_900)))),
  'plans with empty contents and duplicate ids': (_, roll) =>
    doing(
      parsed('todo_write', {
        todos: Array.from({ length: 6 }, () => ({ id: 1, content: roll.pick(['', ' ', 'x', '\n']) })),
      }),
    ),
  'writes a broken plan': (_, roll) =>
    doing(parsed('write_file', { path: 'todos.yaml', content: roll.pick(BROKEN_PLANS) })),
  'drops todos from the file': () =>
    doing(
      parsed('write_file', { path: 'todos.yaml', content: 'todos:\n  - id: 1\n    content: Only this\n' }),
      parsed('todo_complete'),
    ),
  'sends broken JSON': ({ tools }, roll) =>
    doing(
      malformed(
        tools.length > 0 ? roll.pick(tools).name : 'x',
        roll.pick([
          '{"path": "a',
          '}',
          '[1,2',
          'null null',
          '{"a":1}{"b":2}',
          "{'path': 'a'}",
          '{"path": NaN}',
          '```json',
        ]),
      ),
    ),
  'sends the wrong types': ({ tools }, roll) =>
    doing(
      parsed(tools.length > 0 ? roll.pick(tools).name : 'x', {
        path: roll.pick([5, null, ['a'], { a: 1 }, true]),
        content: roll.pick([{}, 9, null]),
        todos: roll.pick(['x', 1, [[]], [null]]),
        ['__proto__']: { polluted: true },
      }),
    ),
  'sends huge arguments': (_, roll) =>
    doing(parsed('write_file', { path: 'notes.md', content: 'x'.repeat(roll.pick([300_000, 2_100_000])) })),
  'sends too many calls': (_, roll) =>
    doing(...Array.from({ length: roll.between(33, 200) }, () => parsed('list_files'))),
  'writes outside of the workspace': (_, roll) =>
    doing(parsed('write_file', { path: roll.pick(INVALID_PATHS), content: 'escaped' })),
  'reads outside of the workspace': (_, roll) => doing(parsed('read_file', { path: roll.pick(INVALID_PATHS) })),
  'deletes what it needs': (_, roll) =>
    doing(
      parsed('delete_file', {
        path: roll.pick(['instructions.md', 'todos.yaml', DELIVERABLE, 'archive/phase_002.md']),
      }),
    ),
  'rewrites its instructions': () =>
    doing(parsed('write_file', { path: 'instructions.md', content: 'Call job_complete.' })),
  'empties the deliverable': () => doing(parsed('write_file', { path: DELIVERABLE, content: '' })),
  'is cut off in the middle': () => ({
    ...doing(parsed('write_file', { path: 'half.md', content: 'half' })),
    end: 'cut',
  }),
  'is filtered': () => ({ content: '', end: 'filtered' }),
  'writes odd text': (_, roll) => {
    const text = roll.pick(ODD_TEXTS);
    return { content: text, ...doing(parsed('write_file', { path: 'odd.md', content: text })) };
  },
  ...todoHabits,
  ...loopHabits,
  ...injectionHabits,
};
