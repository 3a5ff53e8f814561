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

export const heldOutFine: readonly RunKind[] = [
  {
    name: 'extracts one document after the other',
    label: 'fine',
    play: (roll) =>
      createTimes(roll.between(8, 14), (index): Turn[] => [
        [read(`documents/${index}.txt`, drawPage(roll))],
        { done: [write(`output/${index}.md`, drawPage(roll, 5))] },
      ]).flat(),
  },
  {
    name: 'waits for a pipeline that tells how far it is',
    label: 'fine',
    play: (roll) => [
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
    ],
  },
  {
    name: 'waits for a deployment that says nothing but that it is pending, with longer and longer pauses',
    label: 'fine',
    play: (roll) => [
      [command(roll, 'kubectl apply -f app.yaml', 0, 'deployment.apps/app configured')],
      ...createTimes(roll.between(6, 13), (index): Turn[] => [
        [act('mcp__cluster__rollout_status', { app: 'shop' }, 'Rollout is pending: 0 of 3 replicas are available.')],
        [command(roll, `sleep ${index * 5}`, 0, '')],
      ]).flat(),
      [act('mcp__cluster__rollout_status', { app: 'shop' }, 'Rollout is complete: 3 of 3 replicas.')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'looks into an empty mailbox with pauses until the mail is there',
    label: 'fine',
    play: (roll) => [
      [act('mcp__mail__send', { to: 'desk@example.org', text: 'Please send the list.' }, 'sent', { effect: 'once' })],
      ...createTimes(roll.between(5, 12), (index): Turn[] => [
        [act('mcp__mail__search', { from: 'desk@example.org' }, '{"messages": []}')],
        [act('wait_seconds', { seconds: 30 * index }, 'Waited.')],
      ]).flat(),
      [act('mcp__mail__search', { from: 'desk@example.org' }, drawPage(roll, 5))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'gets a lock that is busy, with exponential backoff',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(2, 4), (index): Turn[] => [
        [
          failedAct('mcp__db__migrate', { to: 12 }, 'The database is locked by another migration; try again later.', {
            effect: 'idempotent',
          }),
        ],
        [act('mcp__tools__sleep', { ms: 1_000 * 2 ** index }, 'ok')],
      ]).flat(),
      [act('mcp__db__migrate', { to: 12 }, 'Migrated from 11 to 12.', { effect: 'idempotent' })],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'a server that answers 503 a few times and then works',
    label: 'fine',
    play: (roll) => [
      [read('instructions.md', drawPage(roll))],
      ...createTimes(roll.between(2, 3), () => [
        failedAct(
          'fetch_url',
          { url: 'https://example.org/law' },
          'HTTP 503: the service is temporarily unavailable.',
          {
            effect: 'idempotent',
          },
        ),
      ]),
      [act('fetch_url', { url: 'https://example.org/law' }, drawPage(roll, 30), { effect: 'idempotent' })],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'test, repair, test, repair, with the same message for a long time',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [command(roll, 'go test ./...', 1, '--- FAIL: TestTotals (0.00s)\n    totals_test.go:31: got 0, want 7')],
        [edit('totals.go', `return ${index}`, `return ${index + 1}`, `${drawProse(roll)} ${index}`)],
      ]).flat(),
      [command(roll, 'go test ./...', 0, 'ok   shop/totals 0.004s')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'compiles after each of many edits of one file',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 16), (index): Turn[] => [
        [edit('src/main.rs', `// ${index}`, drawProse(roll), drawPage(roll, 10))],
        [command(roll, 'cargo check', 0, 'Finished dev profile')],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reads a long file in ranges',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(9, 22), (index) => [
        read('documents/act.txt', drawPage(roll, 20), { from_line: index * 20 - 19, to_line: index * 20 }),
      ]),
      { done: [write('notes/act.md', drawPage(roll))] },
    ],
  },
  {
    name: 'pages through a long list of records',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(10, 24), (index) => [
        act('mcp__crm__list_accounts', { page: index, size: 20 }, drawPage(roll, 12)),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'one long todo with many different steps',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(35, 50), (index): Turn =>
        roll.pick<() => Turn>([
          () => [read(`src/${drawProse(roll, 1)}-${index}.ts`, drawPage(roll))],
          () => [write(`src/${drawProse(roll, 1)}-${index}.ts`, drawPage(roll))],
          () => [act('search_files', { pattern: drawProse(roll, 1) + index }, drawPage(roll, 5))],
          () => [command(roll, `node check.js ${index}`, 0, drawPage(roll, 3))],
        ])(),
      ),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'looks at git status after each of many edits',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [write(`src/${index}.ts`, drawPage(roll, 4))],
        [
          act(
            'run_command',
            { program: 'git', args: ['diff', '--stat', 'HEAD~1'] },
            'Exit code 0 after 0.1 s.\nstdout: empty\nstderr: empty',
            { effect: 'once' },
          ),
        ],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'asks for its list before each piece of work',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 10), (index): Turn[] => [
        [act('list_todos', {}, '1. [ ] Read all contracts\n2. [ ] Write the table')],
        [read(`contracts/${index}.txt`, drawPage(roll))],
      ]).flat(),
      COMPLETE_TODO,
      [write('output/table.md', drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'searches for different things, of which some are not there',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 14), (index) => [
        act(
          'search_files',
          { pattern: `${drawProse(roll, 1)}${index}` },
          roll.happens(0.4) ? 'No line of 31 files matches.' : drawPage(roll, 5),
        ),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'makes sure that none of the old names is left',
    label: 'fine',
    play: (roll) => [
      ...['getVoucher', 'LedgerOld', 'parse_entry', 'IndexWriter', 'openArchive', 'taxTable', 'sealAll', 'PERIOD_MAX']
        .slice(0, roll.between(5, 8))
        .map((name): Turn => [act('search_files', { pattern: name }, 'No line of 52 files matches.')]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'makes the same kind of entry for many records',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(12, 25), (index) => [
        act('mcp__crm__add_note', { account: `acc-${index}`, text: drawProse(roll, 6) }, 'ok', { effect: 'once' }),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'asks of each of many files whether it exists',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index) => [
        act(
          'file_exists',
          { path: `scans/${drawProse(roll, 1)}-${index}.tif` },
          `scans/${index}.tif exists (${roll.between(900, 9000)} bytes).`,
        ),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reads again what was cleared or changed, before it writes',
    label: 'fine',
    play: (roll) => {
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
    },
  },
  {
    name: 'explains itself once before it goes on',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(4, 8), (index): Turn[] => [
        `I have read part ${index}. ${drawProse(roll)}.`,
        [read(`part-${index}.md`, drawPage(roll))],
        { done: [write(`output/${index}.md`, drawPage(roll, 3))] },
      ]).flat(),
    ],
  },
  {
    name: 'finds its way by some failed guesses',
    label: 'fine',
    play: (roll) => [
      ...['config.json', 'conf/config.json', 'settings.json']
        .slice(0, roll.between(2, 3))
        .map((path): Turn => [failedAct('read_file', { path }, `${path} is not in the workspace.`)]),
      [list('etc/config.yaml (120 bytes)')],
      [read('etc/config.yaml', drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'tries several parsers until one reads the file',
    label: 'fine',
    play: (roll) => [
      ...['Unexpected token at 1:14', 'Missing header row', 'Bad escape in line 3', 'Unknown encoding declared']
        .slice(0, roll.between(2, 4))
        .map((problem, index): Turn => [command(roll, `python read_${index}.py data.csv`, 1, `Error: ${problem}`)]),
      [write('read.py', drawPage(roll))],
      [command(roll, 'python read.py data.csv', 0, drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'undoes one change and takes another way',
    label: 'fine',
    play: (roll) => [
      [write('plan.md', 'first')],
      [write('plan.md', 'second')],
      [write('plan.md', 'first')],
      [read('notes.md', drawPage(roll))],
      [write('plan.md', drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'follows a log that grows',
    label: 'fine',
    play: (roll) => {
      const lines = createTimes(40, () => drawProse(roll, 7));
      return [
        ...createTimes(roll.between(10, 20), (index) => [read('run.log', lines.slice(0, index * 2).join('\n'))]),
        COMPLETE_TODO,
      ];
    },
  },
  {
    name: 'collects sources by many different searches and reads of them',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 14), (index): Turn[] => [
        [
          act('web_search', { query: `retention ${drawProse(roll, 2)} ${index}` }, drawPage(roll, 10), {
            effect: 'idempotent',
          }),
        ],
        [act('fetch_url', { url: `https://example.org/${index}` }, drawPage(roll, 20), { effect: 'idempotent' })],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'watches a job by two questions, one of which always says the same',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 16), (index): Turn[] => [
        [act('mcp__batch__state', { job: 'b-7' }, 'RUNNING')],
        [act('mcp__batch__counters', { job: 'b-7' }, `rows ${index * 1_317}`)],
      ]).flat(),
      [act('mcp__batch__state', { job: 'b-7' }, 'SUCCEEDED')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'translates a text piece by piece into one file',
    label: 'fine',
    play: (roll) => {
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
    },
  },
  {
    name: 'short phases that end soon',
    label: 'fine',
    play: (roll) =>
      createTimes(roll.between(3, 6), (): Turn => ({
        done: [write(`output/${drawProse(roll, 1)}.md`, drawPage(roll, 2))],
      })),
  },
  {
    name: 'a flaky test that is run again once or twice',
    label: 'fine',
    play: (roll) => [
      [write('src/a.ts', drawPage(roll))],
      ...createTimes(roll.between(1, 2), () => [
        command(roll, 'npm test', 1, 'Timeout of 5000ms exceeded in socket.spec.ts'),
      ]),
      [command(roll, 'npm test', 0, '31 passed')],
      COMPLETE_TODO,
    ],
  },
];
