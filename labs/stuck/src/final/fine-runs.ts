import {
  act,
  command,
  COMPLETE_TODO,
  edit,
  failedAct,
  list,
  drawPage,
  drawProse,
  read,
  createTimes,
  write,
  type RunKind,
  type Turn,
} from '../labelled-run.js';

export const finalFine: readonly RunKind[] = [
  {
    name: 'a migration that reports every table, with a table at a time',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(12, 30), (index) => [
        act('mcp__db__progress', {}, `copied ${index} tables, ${index * 40_000} rows`),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'a long table of which one row changes at each look',
    label: 'fine',
    play: (roll) => {
      const rows = createTimes(20, () => drawProse(roll, 4));
      return [
        ...createTimes(roll.between(8, 20), (index) => [
          act(
            'mcp__grid__jobs',
            { all: true },
            rows.map((row, at) => `${row}: ${at < index ? 'done' : 'open'}`).join('\n'),
          ),
        ]),
        COMPLETE_TODO,
      ];
    },
  },
  {
    name: 'an export that is not ready yet, looked at with pauses between',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(4, 14), (): Turn[] => [
        [failedAct('mcp__export__download', { id: 9 }, 'The export is not ready yet.', { effect: 'pure' })],
        [act('sleep', { seconds: 60 }, 'Slept.')],
      ]).flat(),
      [act('mcp__export__download', { id: 9 }, drawPage(roll, 30))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'checks the linter after each file that it mends',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [command(roll, 'npx eslint src', 1, `src/f${index}.ts  4:1  error  no-unused-vars`)],
        [edit(`src/f${index}.ts`, drawProse(roll, 2), '', drawPage(roll, 8))],
      ]).flat(),
      [command(roll, 'npx eslint src', 0, '')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'compares two long files piece by piece',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [read('old.txt', drawPage(roll, 25), { from_line: index * 25 })],
        [read('new.txt', drawPage(roll, 25), { from_line: index * 25 })],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reads ranges that overlap by some lines',
    label: 'fine',
    play: (roll) => {
      const lines = createTimes(400, () => drawProse(roll, 7));
      return [
        ...createTimes(roll.between(10, 18), (index) => [
          read('act.txt', lines.slice((index - 1) * 20, index * 20 + 6).join('\n'), {
            from_line: (index - 1) * 20 + 1,
          }),
        ]),
        COMPLETE_TODO,
      ];
    },
  },
  {
    name: 'validates record by record, nearly always with a yes',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(10, 24), (index) => [
        act(
          'mcp__schema__validate',
          { record: `${drawProse(roll, 1)}-${index}` },
          roll.happens(0.1) ? 'invalid: total is missing' : 'valid',
        ),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'claims, checks and marks requirements one by one',
    label: 'fine',
    play: (roll) =>
      createTimes(roll.between(4, 9), (index): Turn[] => [
        [act('claim_requirement', {}, `Requirement ${index}: ${drawProse(roll, 10)}`, { effect: 'idempotent' })],
        [act('mcp__graph__cypher', { query: `MATCH (r {id: ${index}}) RETURN r` }, 'No rows.')],
        [act('mark_requirement', { id: index, state: 'integrated' }, 'Marked.', { effect: 'idempotent' })],
        COMPLETE_TODO,
      ]).flat(),
  },
  {
    name: 'debugs with one command and many prints',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 14), (index): Turn[] => [
        [write('debug.js', drawPage(roll, 5))],
        [
          command(
            roll,
            'node debug.js',
            index % 3 === 0 ? 1 : 0,
            index % 3 === 0 ? `TypeError: ${drawProse(roll, 4)}` : drawProse(roll, 8),
          ),
        ],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'three wrong turns, then the right one',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(3, 5), (index) => [
        failedAct('fetch_url', { url: `https://example.org/${drawProse(roll, 1)}/${index}` }, 'HTTP 404: not found.', {
          effect: 'idempotent',
        }),
      ]),
      [act('web_search', { query: drawProse(roll, 3) }, drawPage(roll), { effect: 'idempotent' })],
      [act('fetch_url', { url: 'https://example.org/right' }, drawPage(roll, 20), { effect: 'idempotent' })],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'a strategic phase that reads the archive and its notes and plans',
    label: 'fine',
    play: (roll) => [
      [read('archive/phase_004.md', drawPage(roll, 30)), read('workspace.md', drawPage(roll, 10))],
      COMPLETE_TODO,
      [read('main_plan.md', drawPage(roll, 12))],
      [write('workspace.md', drawPage(roll, 12))],
      COMPLETE_TODO,
      [read('main_plan.md', drawPage(roll, 12))],
      [write('main_plan.md', drawPage(roll, 12))],
      COMPLETE_TODO,
      [
        act('todo_write', { phase: drawProse(roll, 2) }, 'Wrote 7 todos to todos.yaml.', {
          files: { 'todos.yaml': drawPage(roll, 7) },
        }),
      ],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'looks at the same overview between many different details',
    label: 'fine',
    play: (roll) => {
      const overview = read('overview.md', drawPage(roll, 20));
      return [
        ...createTimes(roll.between(8, 14), (index): Turn[] => [
          [overview],
          [read(`details/${index}.md`, drawPage(roll))],
          [write(`notes/${index}.md`, drawPage(roll, 3))],
        ]).flat(),
        COMPLETE_TODO,
      ];
    },
  },
  {
    name: 'cleans up file after file',
    label: 'fine',
    play: (roll) => [
      [list(drawPage(roll, 20))],
      ...createTimes(roll.between(8, 20), (index) => [
        act('delete_file', { path: `tmp/${index}.tmp` }, `Deleted tmp/${index}.tmp.`, {
          files: { [`tmp/${index}.tmp`]: '' },
        }),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'much in one answer',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(4, 9), (index) =>
        createTimes(8, (at) => read(`m/${index}-${at}.md`, drawPage(roll, 4))),
      ),
      COMPLETE_TODO,
    ],
  },
];
