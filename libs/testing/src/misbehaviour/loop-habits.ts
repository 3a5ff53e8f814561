import { doing, parsed, says, turnOf, type Habit } from './habit.js';

const ways = [
  'retention period',
  'period of retention',
  'how long to retain',
  'retention duration',
  'Retention Period?',
  'retain period',
];

/** Ways to go in circles: each would go on for ever if nobody ended it. */
export const loopHabits: Readonly<Record<string, Habit>> = {
  'goes round three tools': (request) =>
    doing(
      [
        parsed('list_files'),
        parsed('read_file', { path: 'instructions.md' }),
        parsed('file_exists', { path: 'output/report.md' }),
      ][turnOf(request) % 3]!,
    ),
  'changes an edit and undoes it': (request) =>
    doing(parsed('write_file', { path: 'notes.md', content: turnOf(request) % 2 === 0 ? 'on\n' : 'off\n' })),
  'changes its arguments only for show': (request, roll) =>
    doing(parsed('fetch_page', { attempt: turnOf(request), note: roll.pick(['again', 'once more', 'please']) })),
  'asks the same in other words': (request) =>
    doing(parsed('look_up', { query: ways[turnOf(request) % ways.length]! })),
  'fails in ever other ways': (request, roll) =>
    doing(parsed('read_file', { path: `${roll.pick(['a', 'docs', 'src'])}/${turnOf(request)}.md` })),
  'reads its list and does none of it': () => doing(parsed('list_todos')),
  'watches its progress': (_, roll) => doing(parsed(roll.pick(['get_progress', 'get_next_todo', 'list_todos']))),
  'polls what is never ready': () => doing(parsed('build_state', { build: 7 })),
  'pages on behind the end': (request) => doing(parsed('look_up', { query: 'all', page: turnOf(request) })),
  'wanders for ever': (request, roll) =>
    doing(
      parsed('write_file', { path: `notes/${turnOf(request)}.md`, content: `Thought ${roll.between(1, 1_000_000)}` }),
    ),
  'apologises for ever': (_, roll) =>
    says(`I am sorry for the delay. I will ${roll.pick(['look', 'begin', 'go on', 'check'])} now.`),
  'talks between useless calls': (request) =>
    turnOf(request) % 2 === 0 ? doing(parsed('list_files')) : says('Let me look at the files first.'),
};
