import { answerCall, answerCalls, parsedCall, answerText, countAnswers, type Habit } from './habit.js';

const PHRASINGS = [
  'retention period',
  'period of retention',
  'how long to retain',
  'retention duration',
  'Retention Period?',
  'retain period',
];

/** Kinds of endless loops; each would continue forever if nothing ended it. */
export const loopHabits: Readonly<Record<string, Habit>> = {
  'cycles through three tools': (request) =>
    answerCalls(
      [
        parsedCall('list_files'),
        parsedCall('read_file', { path: 'instructions.md' }),
        parsedCall('file_exists', { path: 'output/report.md' }),
      ][countAnswers(request) % 3]!,
    ),
  'changes an edit and undoes it': (request) =>
    answerCall('write_file', { path: 'notes.md', content: countAnswers(request) % 2 === 0 ? 'on\n' : 'off\n' }),
  'varies irrelevant arguments': (request, roll) =>
    answerCall('fetch_page', { attempt: countAnswers(request), note: roll.pick(['again', 'once more', 'please']) }),
  'rephrases the same query': (request) =>
    answerCall('look_up', { query: PHRASINGS[countAnswers(request) % PHRASINGS.length]! }),
  'fails in a new way each time': (request, roll) =>
    answerCall('read_file', { path: `${roll.pick(['a', 'docs', 'src'])}/${countAnswers(request)}.md` }),
  'lists its todos without doing any': () => answerCall('list_todos'),
  'watches its progress': (_, roll) => answerCall(roll.pick(['get_progress', 'get_next_todo', 'list_todos'])),
  'polls for something that never becomes ready': () => answerCall('build_state', { build: 7 }),
  'keeps paging past the end': (request) => answerCall('look_up', { query: 'all', page: countAnswers(request) }),
  'writes unrelated notes for ever': (request, roll) =>
    answerCall('write_file', {
      path: `notes/${countAnswers(request)}.md`,
      content: `Thought ${roll.between(1, 1_000_000)}`,
    }),
  'apologises for ever': (_, roll) =>
    answerText(`I am sorry for the delay. I will ${roll.pick(['look', 'begin', 'go on', 'check'])} now.`),
  'talks between useless calls': (request) =>
    countAnswers(request) % 2 === 0 ? answerCall('list_files') : answerText('Let me look at the files first.'),
};
