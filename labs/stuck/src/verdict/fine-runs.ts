import {
  act,
  command,
  done,
  edit,
  fails,
  list,
  page,
  prose,
  read,
  times,
  write,
  type RunKind,
  type Turn,
} from '../labelled-run.js';

export const verdictFine: readonly RunKind[] = [
  {
    name: 'a migration that reports every table, with a table at a time',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(12, 30), (index) => [
        act('mcp__db__progress', {}, `copied ${index} tables, ${index * 40_000} rows`),
      ]),
      done,
    ],
  },
  {
    name: 'a long table of which one row changes at each look',
    label: 'fine',
    play: (roll) => {
      const rows = times(20, () => prose(roll, 4));
      return [
        ...times(roll.between(8, 20), (index) => [
          act(
            'mcp__grid__jobs',
            { all: true },
            rows.map((row, at) => `${row}: ${at < index ? 'done' : 'open'}`).join('\n'),
          ),
        ]),
        done,
      ];
    },
  },
  {
    name: 'an export that is not ready yet, looked at with pauses between',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(4, 14), (): Turn[] => [
        [fails('mcp__export__download', { id: 9 }, 'The export is not ready yet.', { effect: 'pure' })],
        [act('sleep', { seconds: 60 }, 'Slept.')],
      ]).flat(),
      [act('mcp__export__download', { id: 9 }, page(roll, 30))],
      done,
    ],
  },
  {
    name: 'checks the linter after each file that it mends',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 12), (index): Turn[] => [
        [command(roll, 'npx eslint src', 1, `src/f${index}.ts  4:1  error  no-unused-vars`)],
        [edit(`src/f${index}.ts`, prose(roll, 2), '', page(roll, 8))],
      ]).flat(),
      [command(roll, 'npx eslint src', 0, '')],
      done,
    ],
  },
  {
    name: 'compares two long files piece by piece',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 12), (index): Turn[] => [
        [read('old.txt', page(roll, 25), { from_line: index * 25 })],
        [read('new.txt', page(roll, 25), { from_line: index * 25 })],
      ]).flat(),
      done,
    ],
  },
  {
    name: 'reads ranges that overlap by some lines',
    label: 'fine',
    play: (roll) => {
      const lines = times(400, () => prose(roll, 7));
      return [
        ...times(roll.between(10, 18), (index) => [
          read('act.txt', lines.slice((index - 1) * 20, index * 20 + 6).join('\n'), {
            from_line: (index - 1) * 20 + 1,
          }),
        ]),
        done,
      ];
    },
  },
  {
    name: 'validates record by record, nearly always with a yes',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(10, 24), (index) => [
        act(
          'mcp__schema__validate',
          { record: `${prose(roll, 1)}-${index}` },
          roll.happens(0.1) ? 'invalid: total is missing' : 'valid',
        ),
      ]),
      done,
    ],
  },
  {
    name: 'claims, checks and marks requirements one by one',
    label: 'fine',
    play: (roll) =>
      times(roll.between(4, 9), (index): Turn[] => [
        [act('claim_requirement', {}, `Requirement ${index}: ${prose(roll, 10)}`, { effect: 'idempotent' })],
        [act('mcp__graph__cypher', { query: `MATCH (r {id: ${index}}) RETURN r` }, 'No rows.')],
        [act('mark_requirement', { id: index, state: 'integrated' }, 'Marked.', { effect: 'idempotent' })],
        done,
      ]).flat(),
  },
  {
    name: 'debugs with one command and many prints',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 14), (index): Turn[] => [
        [write('debug.js', page(roll, 5))],
        [
          command(
            roll,
            'node debug.js',
            index % 3 === 0 ? 1 : 0,
            index % 3 === 0 ? `TypeError: ${prose(roll, 4)}` : prose(roll, 8),
          ),
        ],
      ]).flat(),
      done,
    ],
  },
  {
    name: 'three wrong turns, then the right one',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(3, 5), (index) => [
        fails('fetch_url', { url: `https://example.org/${prose(roll, 1)}/${index}` }, 'HTTP 404: not found.', {
          effect: 'idempotent',
        }),
      ]),
      [act('web_search', { query: prose(roll, 3) }, page(roll), { effect: 'idempotent' })],
      [act('fetch_url', { url: 'https://example.org/right' }, page(roll, 20), { effect: 'idempotent' })],
      done,
    ],
  },
  {
    name: 'a strategic phase that reads the archive and its notes and plans',
    label: 'fine',
    play: (roll) => [
      [read('archive/phase_004.md', page(roll, 30)), read('workspace.md', page(roll, 10))],
      done,
      [read('main_plan.md', page(roll, 12))],
      [write('workspace.md', page(roll, 12))],
      done,
      [read('main_plan.md', page(roll, 12))],
      [write('main_plan.md', page(roll, 12))],
      done,
      [
        act('todo_write', { phase: prose(roll, 2) }, 'Wrote 7 todos to todos.yaml.', {
          files: { 'todos.yaml': page(roll, 7) },
        }),
      ],
      done,
    ],
  },
  {
    name: 'looks at the same overview between many different details',
    label: 'fine',
    play: (roll) => {
      const overview = read('overview.md', page(roll, 20));
      return [
        ...times(roll.between(8, 14), (index): Turn[] => [
          [overview],
          [read(`details/${index}.md`, page(roll))],
          [write(`notes/${index}.md`, page(roll, 3))],
        ]).flat(),
        done,
      ];
    },
  },
  {
    name: 'cleans up file after file',
    label: 'fine',
    play: (roll) => [
      [list(page(roll, 20))],
      ...times(roll.between(8, 20), (index) => [
        act('delete_file', { path: `tmp/${index}.tmp` }, `Deleted tmp/${index}.tmp.`, {
          files: { [`tmp/${index}.tmp`]: '' },
        }),
      ]),
      done,
    ],
  },
  {
    name: 'much in one answer',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(4, 9), (index) => times(8, (at) => read(`m/${index}-${at}.md`, page(roll, 4)))),
      done,
    ],
  },
];
