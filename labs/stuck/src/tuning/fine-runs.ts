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

export const tuningFine: readonly RunKind[] = [
  {
    name: 'reads, writes and completes',
    label: 'fine',
    play: (roll) =>
      createTimes(roll.between(6, 10), (index): Turn[] => [
        [read(`a/${index}.md`, drawPage(roll))],
        { done: [write(`b/${index}.md`, drawPage(roll))] },
      ]).flat(),
  },
  {
    name: 'polls a build whose progress moves',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(10, 45), (index) => [
        act('mcp__ci__build', { id: 3 }, `building: ${index} of 50 modules`),
      ]),
      [act('mcp__ci__build', { id: 3 }, 'built')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'polls a build that only says that it runs',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 24), () => [act('mcp__ci__build', { id: 3 }, 'The build is still running.')]),
      [act('mcp__ci__build', { id: 3 }, 'success')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'polls a progress that stands still for some checks at a time',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(12, 30), (index) => [
        act('mcp__index__state', {}, `indexing: ${Math.floor(index / 5) * 20} %`),
      ]),
      [act('mcp__index__state', {}, 'ready, 812 documents')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'waits for a server to start, with sleeps between failed connections',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(3, 8), (index): Turn[] => [
        [
          command(
            roll,
            'curl -s http://localhost:8080/health',
            7,
            'curl: (7) Failed to connect to localhost port 8080: Connection refused',
          ),
        ],
        [command(roll, `sleep ${index}`, 0, '')],
      ]).flat(),
      [command(roll, 'curl -s http://localhost:8080/health', 0, '{"status":"up"}')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'rate limits that pass',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(2, 4), () => [
        failedAct('web_search', { query: 'audit rules' }, 'HTTP 429: too many requests, try again later.', {
          effect: 'idempotent',
        }),
      ]),
      [act('web_search', { query: 'audit rules' }, drawPage(roll), { effect: 'idempotent' })],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'red, green, refactor',
    label: 'fine',
    play: (roll) =>
      createTimes(roll.between(4, 8), (index): Turn[] => [
        [write(`test/${index}.spec.ts`, drawPage(roll, 5))],
        [command(roll, 'npx vitest run', 1, `1 failed | ${index} passed`)],
        [write(`src/${index}.ts`, drawPage(roll, 5))],
        [command(roll, 'npx vitest run', 0, `${index + 1} passed`)],
        COMPLETE_TODO,
      ]).flat(),
  },
  {
    name: 'many edits against one stubborn error',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(7, 14), (index): Turn[] => [
        [edit('src/query.ts', drawProse(roll, 3), drawProse(roll, 3), `${drawPage(roll, 6)} ${index}`)],
        [command(roll, 'npm test', 1, 'AssertionError: expected 3 rows, got 2')],
      ]).flat(),
      [edit('src/query.ts', 'a', 'b', drawPage(roll, 6))],
      [command(roll, 'npm test', 0, 'all passed')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'edits with an outside tool whose answer is always ok',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(10, 20), (index) => [
        act('mcp__editor__replace', { file: 'x.ts', line: index * 3, text: drawProse(roll, 6) }, 'ok', {
          effect: 'once',
        }),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reads one file in ranges',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 25), (index) => [
        read('big.log', drawPage(roll, 15), { from_line: index * 15 - 14, to_line: index * 15 }),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'pages through search results',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 20), (index) => [
        act('mcp__search__query', { q: 'invoice', offset: index * 10 }, drawPage(roll, 10)),
      ]),
      [act('mcp__search__query', { q: 'invoice', offset: 900 }, '[]')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'a large todo: reads and edits all over the place',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(30, 52), (index): Turn =>
        roll.happens(0.5)
          ? [read(`src/m${index}.ts`, drawPage(roll))]
          : [edit(`src/m${index}.ts`, 'x', 'y', drawPage(roll))],
      ),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'checks the list after each edit',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [write(`o/${index}.md`, drawPage(roll, 3))],
        [list('many files')],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reads the instructions again at the beginning of each todo',
    label: 'fine',
    play: (roll) => {
      const text = drawPage(roll, 10);
      return createTimes(roll.between(5, 9), (index): Turn[] => [
        [read('instructions.md', text)],
        [read(`in/${index}.md`, drawPage(roll))],
        { done: [write(`out/${index}.md`, drawPage(roll, 3))] },
      ]).flat();
    },
  },
  {
    name: 'looks for several things that are not there, and goes on',
    label: 'fine',
    play: (roll) => [
      ...['SEPA', 'Kassenbuch', 'GoBD', 'z1 access', 'tax office', 'hash chain']
        .slice(0, roll.between(3, 6))
        .map((pattern): Turn => [act('search_files', { pattern }, 'No line of 9 files matches.')]),
      [write('output/gaps.md', drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'asks for the state of many items, each open',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(8, 16), () => [
        act('mcp__tracker__state', { ticket: `${drawProse(roll, 1).toUpperCase()}-${roll.between(1, 9999)}` }, 'open'),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'creates many things that all answer alike',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(10, 22), (index) => [
        act('write_requirement_to_cache', { title: drawProse(roll, 5), section: index }, 'Kept as a requirement.', {
          effect: 'idempotent',
        }),
      ]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'says a sentence between calls',
    label: 'fine',
    play: (roll) =>
      createTimes(roll.between(4, 7), (index): Turn[] => [
        `Now part ${index}.`,
        [read(`p/${index}.md`, drawPage(roll))],
        COMPLETE_TODO,
      ]).flat(),
  },
  {
    name: 'two answers without calls, then work',
    label: 'fine',
    play: (roll) => ['Hello.', `I understand. ${drawProse(roll)}`, [read('a.md', drawPage(roll))], COMPLETE_TODO],
  },
  {
    name: 'guesses a path twice and then lists',
    label: 'fine',
    play: (roll) => [
      ...createTimes(2, (index) => [
        failedAct('read_file', { path: `doc${index}.md` }, `doc${index}.md is not there.`),
      ]),
      [list('docs/doc.md (9 bytes)')],
      [read('docs/doc.md', drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'installs what is missing, one thing after the other',
    label: 'fine',
    play: (roll) => [
      ...['sharp', 'pdfjs', 'yaml', 'zod']
        .slice(0, roll.between(2, 4))
        .map((name): Turn[] => [
          [command(roll, 'node convert.js', 1, `Error: Cannot find module '${name}'`)],
          [command(roll, `npm install ${name}`, 0, `added ${roll.between(1, 30)} packages`)],
        ])
        .flat(),
      [command(roll, 'node convert.js', 0, drawPage(roll))],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reverts one edit that was wrong',
    label: 'fine',
    play: (roll) => {
      const [one, two] = [drawPage(roll), drawPage(roll)];
      return [
        [edit('a.ts', 'x', 'y', one)],
        [edit('a.ts', 'y', 'z', two)],
        [edit('a.ts', 'z', 'y', one)],
        [command(roll, 'npm test', 0, 'ok')],
        COMPLETE_TODO,
      ];
    },
  },
  {
    name: 'watches a queue that drains slowly, with waits',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(5, 15), (index): Turn[] => [
        [act('mcp__queue__length', {}, `${Math.max(0, 40 - Math.floor(index / 2) * 4)} waiting`)],
        [act('wait', { seconds: 20 }, 'Waited 20 seconds.')],
      ]).flat(),
      [act('mcp__queue__length', {}, '0 waiting')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'research: search and read, search and read',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [
          act('web_search', { query: `archiving ${drawProse(roll, 2)} ${index}` }, drawPage(roll, 8), {
            effect: 'idempotent',
          }),
        ],
        [act('fetch_url', { url: `https://example.org/p/${index}` }, drawPage(roll, 20), { effect: 'idempotent' })],
        [
          act(
            'cite_web',
            { url: `https://example.org/p/${index}`, quote: drawProse(roll) },
            `Kept as source ${index}.`,
            {
              effect: 'idempotent',
            },
          ),
        ],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'several calls in one answer, some of them known',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index) => [list('the same files'), read(`n/${index}.md`, drawPage(roll))]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'a long computation that is asked for twice and read in parts',
    label: 'fine',
    play: (roll) => [
      [command(roll, 'python model.py', 0, drawPage(roll, 20))],
      [command(roll, 'python model.py', 0, drawPage(roll, 20))],
      ...createTimes(roll.between(3, 9), (index) => [read('out.csv', drawPage(roll, 10), { from_line: index * 10 })]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'has a look at a few files twice',
    label: 'fine',
    play: (roll) => {
      const files = createTimes(4, (index) => read(`k/${index}.md`, drawPage(roll)));
      return [...files, ...files].map((file): Turn => [file]).concat([[write('o.md', drawPage(roll))], COMPLETE_TODO]);
    },
  },
  {
    name: 'greps by a command for names that must be gone',
    label: 'fine',
    play: (roll) => [
      ...['oldName', 'LegacyStore', 'v1Client', 'toXml', 'initAll', 'sumUp', 'fooBar', 'getTotals']
        .slice(0, roll.between(6, 8))
        .map((name): Turn => [command(roll, `grep -rn ${name} src`, 1, '')]),
      COMPLETE_TODO,
    ],
  },
  {
    name: 'reads everything once more before it is done',
    label: 'fine',
    play: (roll) => {
      const files = createTimes(roll.between(6, 9), (index) => write(`out/${index}.md`, drawPage(roll, 4)));
      const looks = files.map((file): Turn => [read(String(file.args['path']), String(file.args['content']))]);
      return [...files.map((file): Turn => [file]), ...looks, ...looks, COMPLETE_TODO];
    },
  },
  {
    name: 'a build with one surprise after the other',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(4, 7), (index) => [
        command(roll, `make step-${index}`, 2, `${drawProse(roll, 6)}: fatal error`),
      ]),
      [write('Makefile', drawPage(roll))],
      [command(roll, 'make', 0, 'done')],
      COMPLETE_TODO,
    ],
  },
  {
    name: 'thinks with a tool between its steps',
    label: 'fine',
    play: (roll) => [
      ...createTimes(roll.between(6, 12), (index): Turn[] => [
        [act('think', { thought: drawProse(roll, 20) }, 'Your thought was kept.')],
        [read(`q/${index}.md`, drawPage(roll))],
      ]).flat(),
      COMPLETE_TODO,
    ],
  },
];
