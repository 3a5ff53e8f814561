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

export const heldOutFine: readonly RunKind[] = [
  {
    name: 'extracts one document after the other',
    label: 'fine',
    play: (roll) =>
      times(roll.between(8, 14), (index): Turn[] => [
        [read(`documents/${index}.txt`, page(roll))],
        { done: [write(`output/${index}.md`, page(roll, 5))] },
      ]).flat(),
  },
  {
    name: 'waits for a pipeline that tells how far it is',
    label: 'fine',
    play: (roll) => [
      [act('mcp__ci__start', { ref: 'main' }, 'Pipeline 5512 was started.', { effect: 'once' })],
      ...times(roll.between(14, 40), (index) => [
        act(
          'mcp__ci__status',
          { pipeline: 5512 },
          `stage ${Math.min(9, Math.ceil(index / 4))} of 9, ${index * 2} % done`,
        ),
      ]),
      [act('mcp__ci__status', { pipeline: 5512 }, 'passed')],
      done,
    ],
  },
  {
    name: 'waits for a deployment that says nothing but that it is pending, with longer and longer pauses',
    label: 'fine',
    play: (roll) => [
      [command(roll, 'kubectl apply -f app.yaml', 0, 'deployment.apps/app configured')],
      ...times(roll.between(6, 13), (index): Turn[] => [
        [act('mcp__cluster__rollout_status', { app: 'shop' }, 'Rollout is pending: 0 of 3 replicas are available.')],
        [command(roll, `sleep ${index * 5}`, 0, '')],
      ]).flat(),
      [act('mcp__cluster__rollout_status', { app: 'shop' }, 'Rollout is complete: 3 of 3 replicas.')],
      done,
    ],
  },
  {
    name: 'looks into an empty mailbox with pauses until the mail is there',
    label: 'fine',
    play: (roll) => [
      [act('mcp__mail__send', { to: 'desk@example.org', text: 'Please send the list.' }, 'sent', { effect: 'once' })],
      ...times(roll.between(5, 12), (index): Turn[] => [
        [act('mcp__mail__search', { from: 'desk@example.org' }, '{"messages": []}')],
        [act('wait_seconds', { seconds: 30 * index }, 'Waited.')],
      ]).flat(),
      [act('mcp__mail__search', { from: 'desk@example.org' }, page(roll, 5))],
      done,
    ],
  },
  {
    name: 'gets a lock that is busy, with exponential backoff',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(2, 4), (index): Turn[] => [
        [
          fails('mcp__db__migrate', { to: 12 }, 'The database is locked by another migration; try again later.', {
            effect: 'idempotent',
          }),
        ],
        [act('mcp__tools__sleep', { ms: 1_000 * 2 ** index }, 'ok')],
      ]).flat(),
      [act('mcp__db__migrate', { to: 12 }, 'Migrated from 11 to 12.', { effect: 'idempotent' })],
      done,
    ],
  },
  {
    name: 'a server that answers 503 a few times and then works',
    label: 'fine',
    play: (roll) => [
      [read('instructions.md', page(roll))],
      ...times(roll.between(2, 3), () => [
        fails('fetch_url', { url: 'https://example.org/law' }, 'HTTP 503: the service is temporarily unavailable.', {
          effect: 'idempotent',
        }),
      ]),
      [act('fetch_url', { url: 'https://example.org/law' }, page(roll, 30), { effect: 'idempotent' })],
      done,
    ],
  },
  {
    name: 'test, repair, test, repair, with the same message for a long time',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 12), (index): Turn[] => [
        [command(roll, 'go test ./...', 1, '--- FAIL: TestTotals (0.00s)\n    totals_test.go:31: got 0, want 7')],
        [edit('totals.go', `return ${index}`, `return ${index + 1}`, `${prose(roll)} ${index}`)],
      ]).flat(),
      [command(roll, 'go test ./...', 0, 'ok   shop/totals 0.004s')],
      done,
    ],
  },
  {
    name: 'compiles after each of many edits of one file',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(8, 16), (index): Turn[] => [
        [edit('src/main.rs', `// ${index}`, prose(roll), page(roll, 10))],
        [command(roll, 'cargo check', 0, 'Finished dev profile')],
      ]).flat(),
      done,
    ],
  },
  {
    name: 'reads a long file in ranges',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(9, 22), (index) => [
        read('documents/act.txt', page(roll, 20), { from_line: index * 20 - 19, to_line: index * 20 }),
      ]),
      { done: [write('notes/act.md', page(roll))] },
    ],
  },
  {
    name: 'pages through a long list of records',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(10, 24), (index) => [
        act('mcp__crm__list_accounts', { page: index, size: 20 }, page(roll, 12)),
      ]),
      done,
    ],
  },
  {
    name: 'one long todo with many different steps',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(35, 50), (index): Turn =>
        roll.pick<() => Turn>([
          () => [read(`src/${prose(roll, 1)}-${index}.ts`, page(roll))],
          () => [write(`src/${prose(roll, 1)}-${index}.ts`, page(roll))],
          () => [act('search_files', { pattern: prose(roll, 1) + index }, page(roll, 5))],
          () => [command(roll, `node check.js ${index}`, 0, page(roll, 3))],
        ])(),
      ),
      done,
    ],
  },
  {
    name: 'looks at git status after each of many edits',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 12), (index): Turn[] => [
        [write(`src/${index}.ts`, page(roll, 4))],
        [
          act(
            'run_command',
            { program: 'git', args: ['diff', '--stat', 'HEAD~1'] },
            'Exit code 0 after 0.1 s.\nstdout: empty\nstderr: empty',
            { effect: 'once' },
          ),
        ],
      ]).flat(),
      done,
    ],
  },
  {
    name: 'asks for its list before each piece of work',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 10), (index): Turn[] => [
        [act('list_todos', {}, '1. [ ] Read all contracts\n2. [ ] Write the table')],
        [read(`contracts/${index}.txt`, page(roll))],
      ]).flat(),
      done,
      [write('output/table.md', page(roll))],
      done,
    ],
  },
  {
    name: 'searches for different things, of which some are not there',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(8, 14), (index) => [
        act(
          'search_files',
          { pattern: `${prose(roll, 1)}${index}` },
          roll.happens(0.4) ? 'No line of 31 files matches.' : page(roll, 5),
        ),
      ]),
      done,
    ],
  },
  {
    name: 'makes sure that none of the old names is left',
    label: 'fine',
    play: (roll) => [
      ...['getVoucher', 'LedgerOld', 'parse_entry', 'IndexWriter', 'openArchive', 'taxTable', 'sealAll', 'PERIOD_MAX']
        .slice(0, roll.between(5, 8))
        .map((name): Turn => [act('search_files', { pattern: name }, 'No line of 52 files matches.')]),
      done,
    ],
  },
  {
    name: 'makes the same kind of entry for many records',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(12, 25), (index) => [
        act('mcp__crm__add_note', { account: `acc-${index}`, text: prose(roll, 6) }, 'ok', { effect: 'once' }),
      ]),
      done,
    ],
  },
  {
    name: 'asks of each of many files whether it exists',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(6, 12), (index) => [
        act(
          'file_exists',
          { path: `scans/${prose(roll, 1)}-${index}.tif` },
          `scans/${index}.tif exists (${roll.between(900, 9000)} bytes).`,
        ),
      ]),
      done,
    ],
  },
  {
    name: 'reads again what was cleared or changed, before it writes',
    label: 'fine',
    play: (roll) => {
      const text = page(roll, 12);
      return [
        [read('src/parser.ts', text)],
        [read('src/lexer.ts', page(roll))],
        [edit('src/parser.ts', 'a', 'b', page(roll))],
        [read('src/parser.ts', page(roll))],
        [read('src/lexer.ts', page(roll))],
        [edit('src/lexer.ts', 'c', 'd', page(roll))],
        [read('src/parser.ts', page(roll))],
        [command(roll, 'npm test', 0, '12 passed')],
        done,
      ];
    },
  },
  {
    name: 'explains itself once before it goes on',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(4, 8), (index): Turn[] => [
        `I have read part ${index}. ${prose(roll)}.`,
        [read(`part-${index}.md`, page(roll))],
        { done: [write(`output/${index}.md`, page(roll, 3))] },
      ]).flat(),
    ],
  },
  {
    name: 'finds its way by some failed guesses',
    label: 'fine',
    play: (roll) => [
      ...['config.json', 'conf/config.json', 'settings.json']
        .slice(0, roll.between(2, 3))
        .map((path): Turn => [fails('read_file', { path }, `${path} is not in the workspace.`)]),
      [list('etc/config.yaml (120 bytes)')],
      [read('etc/config.yaml', page(roll))],
      done,
    ],
  },
  {
    name: 'tries several parsers until one reads the file',
    label: 'fine',
    play: (roll) => [
      ...['Unexpected token at 1:14', 'Missing header row', 'Bad escape in line 3', 'Unknown encoding declared']
        .slice(0, roll.between(2, 4))
        .map((problem, index): Turn => [command(roll, `python read_${index}.py data.csv`, 1, `Error: ${problem}`)]),
      [write('read.py', page(roll))],
      [command(roll, 'python read.py data.csv', 0, page(roll))],
      done,
    ],
  },
  {
    name: 'undoes one change and takes another way',
    label: 'fine',
    play: (roll) => [
      [write('plan.md', 'first')],
      [write('plan.md', 'second')],
      [write('plan.md', 'first')],
      [read('notes.md', page(roll))],
      [write('plan.md', page(roll))],
      done,
    ],
  },
  {
    name: 'follows a log that grows',
    label: 'fine',
    play: (roll) => {
      const lines = times(40, () => prose(roll, 7));
      return [...times(roll.between(10, 20), (index) => [read('run.log', lines.slice(0, index * 2).join('\n'))]), done];
    },
  },
  {
    name: 'collects sources by many different searches and reads of them',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(8, 14), (index): Turn[] => [
        [
          act('web_search', { query: `retention ${prose(roll, 2)} ${index}` }, page(roll, 10), {
            effect: 'idempotent',
          }),
        ],
        [act('fetch_url', { url: `https://example.org/${index}` }, page(roll, 20), { effect: 'idempotent' })],
      ]).flat(),
      done,
    ],
  },
  {
    name: 'watches a job by two questions, one of which always says the same',
    label: 'fine',
    play: (roll) => [
      ...times(roll.between(8, 16), (index): Turn[] => [
        [act('mcp__batch__state', { job: 'b-7' }, 'RUNNING')],
        [act('mcp__batch__counters', { job: 'b-7' }, `rows ${index * 1_317}`)],
      ]).flat(),
      [act('mcp__batch__state', { job: 'b-7' }, 'SUCCEEDED')],
      done,
    ],
  },
  {
    name: 'translates a text piece by piece into one file',
    label: 'fine',
    play: (roll) => {
      let text = '';
      return [
        ...times(roll.between(10, 20), () => {
          text += `${prose(roll)}\n`;
          return [
            act(
              'append_file',
              { path: 'output/text.md', content: prose(roll) },
              `Appended to output/text.md (now ${text.length} bytes).`,
              { files: { 'output/text.md': text } },
            ),
          ];
        }),
        done,
      ];
    },
  },
  {
    name: 'short phases that end soon',
    label: 'fine',
    play: (roll) =>
      times(roll.between(3, 6), (): Turn => ({ done: [write(`output/${prose(roll, 1)}.md`, page(roll, 2))] })),
  },
  {
    name: 'a flaky test that is run again once or twice',
    label: 'fine',
    play: (roll) => [
      [write('src/a.ts', page(roll))],
      ...times(roll.between(1, 2), () => [
        command(roll, 'npm test', 1, 'Timeout of 5000ms exceeded in socket.spec.ts'),
      ]),
      [command(roll, 'npm test', 0, '31 passed')],
      done,
    ],
  },
];
