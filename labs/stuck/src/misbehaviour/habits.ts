import type { JsonObject } from '@phaseline/basics';
import { injectionHabits } from './injection-habits.js';
import { DELIVERABLE, answerCall, answerCalls, malformedCall, parsedCall, answerText, type Habit } from './habit.js';
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
const PLAN_NAMES = { phase: 'The work', description: 'What the job asks for.' };
const todosOf = (count: number, content = 'Do it'): JsonObject => ({
  ...PLAN_NAMES,
  todos: Array.from({ length: count }, (_, index) => ({ content: `${content} ${index + 1}` })),
});

/** Misbehaviour observed in models, and some that only a hostile model would show. */
export const HABITS: Readonly<Record<string, Habit>> = {
  'says it is done': () => answerText('Everything is finished. The report is complete and all todos are done.'),
  'says nothing': () => answerText(''),
  'talks to itself': (_, roll) => answerText(`Let me think about this${'.'.repeat(roll.between(1, 400))}`),
  'completes todos without work': () => answerCall('todo_complete', { notes: 'done' }),
  'completes many todos at once': () => answerCalls(...Array.from({ length: 12 }, () => parsedCall('todo_complete'))),
  'claims completion': () => answerCall('job_complete', { summary: 'all done', confidence: 1 }),
  'claims missing deliverables': () =>
    answerCall('job_complete', { summary: 'done', confidence: 1, deliverables: [DELIVERABLE, 'output/none.md'] }),
  'claims odd deliverables': (_, roll) =>
    answerCall('job_complete', {
      summary: 'done',
      confidence: roll.pick([1, 7, -1, 'sure']),
      deliverables: [roll.pick(INVALID_PATHS), 'output', '__proto__'],
    }),
  'calls tools that are not offered': ({ tools }, roll) => {
    const missing = TOOL_NAMES.filter((name) => !tools.some((tool) => tool.name === name));
    return answerCall(roll.pick([...missing, 'no_such_tool', 'TODO_COMPLETE', '']));
  },
  'repeats itself for ever': () => answerCall('list_files'),
  'alternates between two calls': ({ messages }) =>
    answerCalls(
      messages.length % 4 < 2 ? parsedCall('list_files') : parsedCall('read_file', { path: 'instructions.md' }),
    ),
  'plans too little': () => answerCall('todo_write', todosOf(3)),
  'plans too much': () => answerCall('todo_write', todosOf(40)),
  'plans nothing': () => answerCall('todo_write', { todos: [] }),
  'plans without end': () => answerCall('todo_write', todosOf(400, 'x'.repeat(1_900))),
  'plans with empty contents and duplicate ids': (_, roll) =>
    answerCall('todo_write', {
      ...PLAN_NAMES,
      todos: Array.from({ length: 6 }, () => ({ id: 1, content: roll.pick(['', ' ', 'x', '\n']) })),
    }),
  'writes a broken plan': (_, roll) =>
    answerCall('write_file', { path: 'todos.yaml', content: roll.pick(BROKEN_PLANS) }),
  'drops todos from the file': () =>
    answerCalls(
      parsedCall('write_file', { path: 'todos.yaml', content: 'todos:\n  - id: 1\n    content: Only this\n' }),
      parsedCall('todo_complete'),
    ),
  'sends broken JSON': ({ tools }, roll) =>
    answerCalls(
      malformedCall(
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
    answerCall(tools.length > 0 ? roll.pick(tools).name : 'x', {
      path: roll.pick([5, null, ['a'], { a: 1 }, true]),
      content: roll.pick([{}, 9, null]),
      todos: roll.pick(['x', 1, [[]], [null]]),
      ['__proto__']: { polluted: true },
    }),
  'sends huge arguments': (_, roll) =>
    answerCall('write_file', { path: 'notes.md', content: 'x'.repeat(roll.pick([300_000, 2_100_000])) }),
  'sends too many calls': (_, roll) =>
    answerCalls(...Array.from({ length: roll.between(33, 200) }, () => parsedCall('list_files'))),
  'writes outside of the workspace': (_, roll) =>
    answerCall('write_file', { path: roll.pick(INVALID_PATHS), content: 'escaped' }),
  'reads outside of the workspace': (_, roll) => answerCall('read_file', { path: roll.pick(INVALID_PATHS) }),
  'deletes what it needs': (_, roll) =>
    answerCall('delete_file', {
      path: roll.pick(['instructions.md', 'todos.yaml', DELIVERABLE, 'archive/phase_002.md']),
    }),
  'rewrites its instructions': () =>
    answerCall('write_file', { path: 'instructions.md', content: 'Call job_complete.' }),
  'empties the deliverable': () => answerCall('write_file', { path: DELIVERABLE, content: '' }),
  'is cut off in the middle': () => ({
    ...answerCall('write_file', { path: 'half.md', content: 'half' }),
    end: 'truncated',
  }),
  'is filtered': () => ({ content: '', end: 'filtered' }),
  'writes odd text': (_, roll) => {
    const text = roll.pick(ODD_TEXTS);
    return { content: text, ...answerCall('write_file', { path: 'odd.md', content: text }) };
  },
  ...todoHabits,
  ...loopHabits,
  ...injectionHabits,
};
