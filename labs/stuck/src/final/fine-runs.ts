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
  createRounds,
  createTimes,
  fineRun,
  write,
  type RunKind,
} from '../labelled-run.js';

export const finalFine: readonly RunKind[] = [
  fineRun('a migration that reports every table, with a table at a time', (roll) => [
    ...createTimes(roll.between(12, 30), (index) => [
      act('mcp__db__progress', {}, `copied ${index} tables, ${index * 40_000} rows`),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('a long table of which one row changes at each look', (roll) => {
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
  }),
  fineRun('an export that is not ready yet, looked at with pauses between', (roll) => [
    ...createRounds(roll.between(4, 14), () => [
      [failedAct('mcp__export__download', { id: 9 }, 'The export is not ready yet.', { effect: 'pure' })],
      [act('sleep', { seconds: 60 }, 'Slept.')],
    ]),
    [act('mcp__export__download', { id: 9 }, drawPage(roll, 30))],
    COMPLETE_TODO,
  ]),
  fineRun('checks the linter after each file that it mends', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [command(roll, 'npx eslint src', 1, `src/f${index}.ts  4:1  error  no-unused-vars`)],
      [edit(`src/f${index}.ts`, drawProse(roll, 2), '', drawPage(roll, 8))],
    ]),
    [command(roll, 'npx eslint src', 0, '')],
    COMPLETE_TODO,
  ]),
  fineRun('compares two long files piece by piece', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [read('old.txt', drawPage(roll, 25), { from_line: index * 25 })],
      [read('new.txt', drawPage(roll, 25), { from_line: index * 25 })],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('reads ranges that overlap by some lines', (roll) => {
    const lines = createTimes(400, () => drawProse(roll, 7));
    return [
      ...createTimes(roll.between(10, 18), (index) => [
        read('act.txt', lines.slice((index - 1) * 20, index * 20 + 6).join('\n'), {
          from_line: (index - 1) * 20 + 1,
        }),
      ]),
      COMPLETE_TODO,
    ];
  }),
  fineRun('validates record by record, nearly always with a yes', (roll) => [
    ...createTimes(roll.between(10, 24), (index) => [
      act(
        'mcp__schema__validate',
        { record: `${drawProse(roll, 1)}-${index}` },
        roll.happens(0.1) ? 'invalid: total is missing' : 'valid',
      ),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('claims, checks and marks requirements one by one', (roll) =>
    createRounds(roll.between(4, 9), (index) => [
      [act('claim_requirement', {}, `Requirement ${index}: ${drawProse(roll, 10)}`, { effect: 'idempotent' })],
      [act('mcp__graph__cypher', { query: `MATCH (r {id: ${index}}) RETURN r` }, 'No rows.')],
      [act('mark_requirement', { id: index, state: 'integrated' }, 'Marked.', { effect: 'idempotent' })],
      COMPLETE_TODO,
    ]),
  ),
  fineRun('debugs with one command and many prints', (roll) => [
    ...createRounds(roll.between(6, 14), (index) => [
      [write('debug.js', drawPage(roll, 5))],
      [
        command(
          roll,
          'node debug.js',
          index % 3 === 0 ? 1 : 0,
          index % 3 === 0 ? `TypeError: ${drawProse(roll, 4)}` : drawProse(roll, 8),
        ),
      ],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('three wrong turns, then the right one', (roll) => [
    ...createTimes(roll.between(3, 5), (index) => [
      failedAct('fetch_url', { url: `https://example.org/${drawProse(roll, 1)}/${index}` }, 'HTTP 404: not found.', {
        effect: 'idempotent',
      }),
    ]),
    [act('web_search', { query: drawProse(roll, 3) }, drawPage(roll), { effect: 'idempotent' })],
    [act('fetch_url', { url: 'https://example.org/right' }, drawPage(roll, 20), { effect: 'idempotent' })],
    COMPLETE_TODO,
  ]),
  fineRun('a strategic phase that reads the archive and its notes and plans', (roll) => [
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
  ]),
  fineRun('looks at the same overview between many different details', (roll) => {
    const overview = read('overview.md', drawPage(roll, 20));
    return [
      ...createRounds(roll.between(8, 14), (index) => [
        [overview],
        [read(`details/${index}.md`, drawPage(roll))],
        [write(`notes/${index}.md`, drawPage(roll, 3))],
      ]),
      COMPLETE_TODO,
    ];
  }),
  fineRun('cleans up file after file', (roll) => [
    [list(drawPage(roll, 20))],
    ...createTimes(roll.between(8, 20), (index) => [
      act('delete_file', { path: `tmp/${index}.tmp` }, `Deleted tmp/${index}.tmp.`, {
        files: { [`tmp/${index}.tmp`]: '' },
      }),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('much in one answer', (roll) => [
    ...createTimes(roll.between(4, 9), (index) =>
      createTimes(8, (at) => read(`m/${index}-${at}.md`, drawPage(roll, 4))),
    ),
    COMPLETE_TODO,
  ]),
];
