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
  type Turn,
} from '../labelled-run.js';

export const heldOutFine: readonly RunKind[] = [
  fineRun('extracts one document after the other', (roll) =>
    createRounds(roll.between(8, 14), (index) => [
      [read(`documents/${index}.txt`, drawPage(roll))],
      { done: [write(`output/${index}.md`, drawPage(roll, 5))] },
    ]),
  ),
  fineRun('waits for a pipeline that tells how far it is', (roll) => [
    [act('mcp__ci__start', { ref: 'main' }, 'Pipeline 5512 was started.', { effect: 'once' })],
    ...createTimes(roll.between(14, 40), (index) => [
      act(
        'mcp__ci__status',
        { pipeline: 5512 },
        `stage ${Math.min(9, Math.ceil(index / 4))} of 9, ${index * 2} % done`,
      ),
    ]),
    [act('mcp__ci__status', { pipeline: 5512 }, 'passed')],
    COMPLETE_TODO,
  ]),
  fineRun('waits for a deployment that says nothing but that it is pending, with longer and longer pauses', (roll) => [
    [command(roll, 'kubectl apply -f app.yaml', 0, 'deployment.apps/app configured')],
    ...createRounds(roll.between(6, 13), (index) => [
      [act('mcp__cluster__rollout_status', { app: 'shop' }, 'Rollout is pending: 0 of 3 replicas are available.')],
      [command(roll, `sleep ${index * 5}`, 0, '')],
    ]),
    [act('mcp__cluster__rollout_status', { app: 'shop' }, 'Rollout is complete: 3 of 3 replicas.')],
    COMPLETE_TODO,
  ]),
  fineRun('looks into an empty mailbox with pauses until the mail is there', (roll) => [
    [act('mcp__mail__send', { to: 'desk@example.org', text: 'Please send the list.' }, 'sent', { effect: 'once' })],
    ...createRounds(roll.between(5, 12), (index) => [
      [act('mcp__mail__search', { from: 'desk@example.org' }, '{"messages": []}')],
      [act('wait_seconds', { seconds: 30 * index }, 'Waited.')],
    ]),
    [act('mcp__mail__search', { from: 'desk@example.org' }, drawPage(roll, 5))],
    COMPLETE_TODO,
  ]),
  fineRun('gets a lock that is busy, with exponential backoff', (roll) => [
    ...createRounds(roll.between(2, 4), (index) => [
      [
        failedAct('mcp__db__migrate', { to: 12 }, 'The database is locked by another migration; try again later.', {
          effect: 'idempotent',
        }),
      ],
      [act('mcp__tools__sleep', { ms: 1_000 * 2 ** index }, 'ok')],
    ]),
    [act('mcp__db__migrate', { to: 12 }, 'Migrated from 11 to 12.', { effect: 'idempotent' })],
    COMPLETE_TODO,
  ]),
  fineRun('a server that answers 503 a few times and then works', (roll) => [
    [read('instructions.md', drawPage(roll))],
    ...createTimes(roll.between(2, 3), () => [
      failedAct('fetch_url', { url: 'https://example.org/law' }, 'HTTP 503: the service is temporarily unavailable.', {
        effect: 'idempotent',
      }),
    ]),
    [act('fetch_url', { url: 'https://example.org/law' }, drawPage(roll, 30), { effect: 'idempotent' })],
    COMPLETE_TODO,
  ]),
  fineRun('test, repair, test, repair, with the same message for a long time', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [command(roll, 'go test ./...', 1, '--- FAIL: TestTotals (0.00s)\n    totals_test.go:31: got 0, want 7')],
      [edit('totals.go', `return ${index}`, `return ${index + 1}`, `${drawProse(roll)} ${index}`)],
    ]),
    [command(roll, 'go test ./...', 0, 'ok   shop/totals 0.004s')],
    COMPLETE_TODO,
  ]),
  fineRun('compiles after each of many edits of one file', (roll) => [
    ...createRounds(roll.between(8, 16), (index) => [
      [edit('src/main.rs', `// ${index}`, drawProse(roll), drawPage(roll, 10))],
      [command(roll, 'cargo check', 0, 'Finished dev profile')],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('reads a long file in ranges', (roll) => [
    ...createTimes(roll.between(9, 22), (index) => [
      read('documents/act.txt', drawPage(roll, 20), { from_line: index * 20 - 19, to_line: index * 20 }),
    ]),
    { done: [write('notes/act.md', drawPage(roll))] },
  ]),
  fineRun('pages through a long list of records', (roll) => [
    ...createTimes(roll.between(10, 24), (index) => [
      act('mcp__crm__list_accounts', { page: index, size: 20 }, drawPage(roll, 12)),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('one long todo with many different steps', (roll) => [
    ...createTimes(roll.between(35, 50), (index): Turn =>
      roll.pick<() => Turn>([
        () => [read(`src/${drawProse(roll, 1)}-${index}.ts`, drawPage(roll))],
        () => [write(`src/${drawProse(roll, 1)}-${index}.ts`, drawPage(roll))],
        () => [act('search_files', { pattern: drawProse(roll, 1) + index }, drawPage(roll, 5))],
        () => [command(roll, `node check.js ${index}`, 0, drawPage(roll, 3))],
      ])(),
    ),
    COMPLETE_TODO,
  ]),
  fineRun('looks at git status after each of many edits', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [write(`src/${index}.ts`, drawPage(roll, 4))],
      [
        act(
          'run_command',
          { program: 'git', args: ['diff', '--stat', 'HEAD~1'] },
          'Exit code 0 after 0.1 s.\nstdout: empty\nstderr: empty',
          { effect: 'once' },
        ),
      ],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('asks for its list before each piece of work', (roll) => [
    ...createRounds(roll.between(6, 10), (index) => [
      [act('list_todos', {}, '1. [ ] Read all contracts\n2. [ ] Write the table')],
      [read(`contracts/${index}.txt`, drawPage(roll))],
    ]),
    COMPLETE_TODO,
    [write('output/table.md', drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('searches for different things, of which some are not there', (roll) => [
    ...createTimes(roll.between(8, 14), (index) => [
      act(
        'search_files',
        { pattern: `${drawProse(roll, 1)}${index}` },
        roll.happens(0.4) ? 'No line of 31 files matches.' : drawPage(roll, 5),
      ),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('makes sure that none of the old names is left', (roll) => [
    ...['getVoucher', 'LedgerOld', 'parse_entry', 'IndexWriter', 'openArchive', 'taxTable', 'sealAll', 'PERIOD_MAX']
      .slice(0, roll.between(5, 8))
      .map((name): Turn => [act('search_files', { pattern: name }, 'No line of 52 files matches.')]),
    COMPLETE_TODO,
  ]),
  fineRun('makes the same kind of entry for many records', (roll) => [
    ...createTimes(roll.between(12, 25), (index) => [
      act('mcp__crm__add_note', { account: `acc-${index}`, text: drawProse(roll, 6) }, 'ok', { effect: 'once' }),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('asks of each of many files whether it exists', (roll) => [
    ...createTimes(roll.between(6, 12), (index) => [
      act(
        'file_exists',
        { path: `scans/${drawProse(roll, 1)}-${index}.tif` },
        `scans/${index}.tif exists (${roll.between(900, 9000)} bytes).`,
      ),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('reads again what was cleared or changed, before it writes', (roll) => {
    const text = drawPage(roll, 12);
    return [
      [read('src/parser.ts', text)],
      [read('src/lexer.ts', drawPage(roll))],
      [edit('src/parser.ts', 'a', 'b', drawPage(roll))],
      [read('src/parser.ts', drawPage(roll))],
      [read('src/lexer.ts', drawPage(roll))],
      [edit('src/lexer.ts', 'c', 'd', drawPage(roll))],
      [read('src/parser.ts', drawPage(roll))],
      [command(roll, 'npm test', 0, '12 passed')],
      COMPLETE_TODO,
    ];
  }),
  fineRun('explains itself once before it goes on', (roll) => [
    ...createRounds(roll.between(4, 8), (index) => [
      `I have read part ${index}. ${drawProse(roll)}.`,
      [read(`part-${index}.md`, drawPage(roll))],
      { done: [write(`output/${index}.md`, drawPage(roll, 3))] },
    ]),
  ]),
  fineRun('finds its way by some failed guesses', (roll) => [
    ...['config.json', 'conf/config.json', 'settings.json']
      .slice(0, roll.between(2, 3))
      .map((path): Turn => [failedAct('read_file', { path }, `${path} is not in the workspace.`)]),
    [list('etc/config.yaml (120 bytes)')],
    [read('etc/config.yaml', drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('tries several parsers until one reads the file', (roll) => [
    ...['Unexpected token at 1:14', 'Missing header row', 'Bad escape in line 3', 'Unknown encoding declared']
      .slice(0, roll.between(2, 4))
      .map((problem, index): Turn => [command(roll, `python read_${index}.py data.csv`, 1, `Error: ${problem}`)]),
    [write('read.py', drawPage(roll))],
    [command(roll, 'python read.py data.csv', 0, drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('undoes one change and takes another way', (roll) => [
    [write('plan.md', 'first')],
    [write('plan.md', 'second')],
    [write('plan.md', 'first')],
    [read('notes.md', drawPage(roll))],
    [write('plan.md', drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('follows a log that grows', (roll) => {
    const lines = createTimes(40, () => drawProse(roll, 7));
    return [
      ...createTimes(roll.between(10, 20), (index) => [read('run.log', lines.slice(0, index * 2).join('\n'))]),
      COMPLETE_TODO,
    ];
  }),
  fineRun('collects sources by many different searches and reads of them', (roll) => [
    ...createRounds(roll.between(8, 14), (index) => [
      [
        act('web_search', { query: `retention ${drawProse(roll, 2)} ${index}` }, drawPage(roll, 10), {
          effect: 'idempotent',
        }),
      ],
      [act('fetch_url', { url: `https://example.org/${index}` }, drawPage(roll, 20), { effect: 'idempotent' })],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('watches a job by two questions, one of which always says the same', (roll) => [
    ...createRounds(roll.between(8, 16), (index) => [
      [act('mcp__batch__state', { job: 'b-7' }, 'RUNNING')],
      [act('mcp__batch__counters', { job: 'b-7' }, `rows ${index * 1_317}`)],
    ]),
    [act('mcp__batch__state', { job: 'b-7' }, 'SUCCEEDED')],
    COMPLETE_TODO,
  ]),
  fineRun('translates a text piece by piece into one file', (roll) => {
    let text = '';
    return [
      ...createTimes(roll.between(10, 20), () => {
        text += `${drawProse(roll)}\n`;
        return [
          act(
            'append_file',
            { path: 'output/text.md', content: drawProse(roll) },
            `Appended to output/text.md (now ${text.length} bytes).`,
            { files: { 'output/text.md': text } },
          ),
        ];
      }),
      COMPLETE_TODO,
    ];
  }),
  fineRun('short phases that end soon', (roll) =>
    createTimes(roll.between(3, 6), (): Turn => ({
      done: [write(`output/${drawProse(roll, 1)}.md`, drawPage(roll, 2))],
    })),
  ),
  fineRun('a flaky test that is run again once or twice', (roll) => [
    [write('src/a.ts', drawPage(roll))],
    ...createTimes(roll.between(1, 2), () => [
      command(roll, 'npm test', 1, 'Timeout of 5000ms exceeded in socket.spec.ts'),
    ]),
    [command(roll, 'npm test', 0, '31 passed')],
    COMPLETE_TODO,
  ]),
];
