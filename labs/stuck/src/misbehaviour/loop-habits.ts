import { doing, parsed, says, turnOf, type Habit } from './habit.js';

const PHRASINGS = [
  'retention period',
  'period of retention',
  'how long to retain',
  'retention duration',
  'Retention Period?',
  'retain period',
];

/** Kinds of endless loops; each would continue for ever if nothing ended it. */
export const loopHabits: Readonly<Record<string, Habit>> = {
  'cycles through three tools': (request) =>
    doing(
      [
        parsed('list_files'),
        parsed('read_file', { path: 'instructions.md' }),
        parsed('file_exists', { path: 'output/report.md' }),
      ][turnOf(request) % 3]!,
    ),
  'changes an edit and undoes it': (request) =>
    doing(parsed('write_file', { path: 'notes.md', content: turnOf(request) % 2 === 0 ? 'on\n' : 'off\n' })),
  'varies irrelevant arguments': (request, roll) =>
    doing(parsed('fetch_page', { attempt: turnOf(request), note: roll.pick(['again', 'once more', 'please']) })),
  'rephrases the same query': (request) =>
    doing(parsed('look_up', { query: PHRASINGS[turnOf(request) % PHRASINGS.length]! })),
  'fails in a new way each time': (request, roll) =>
    doing(parsed('read_file', { path: `${roll.pick(['a', 'docs', 'src'])}/${turnOf(request)}.md` })),
  'lists its todos without doing any': () => doing(parsed('list_todos')),
  'watches its progress': (_, roll) => doing(parsed(roll.pick(['get_progress', 'get_next_todo', 'list_todos']))),
  'polls for something that never becomes ready': () => doing(parsed('build_state', { build: 7 })),
  'keeps paging past the end': (request) => doing(parsed('look_up', { query: 'all', page: turnOf(request) })),
  'writes unrelated notes for ever': (request, roll) =>
    doing(
      parsed('write_file', { path: `notes/${turnOf(request)}.md`, content: `Thought ${roll.between(1, 1_000_000)}` }),
    ),
  'apologises for ever': (_, roll) =>
    says(`I am sorry for the delay. I will ${roll.pick(['look', 'begin', 'go on', 'check'])} now.`),
  'talks between useless calls': (request) =>
    turnOf(request) % 2 === 0 ? doing(parsed('list_files')) : says('Let me look at the files first.'),
};
