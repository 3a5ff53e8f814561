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

export const tuningFine: readonly RunKind[] = [
  fineRun('reads, writes and completes', (roll) =>
    createRounds(roll.between(6, 10), (index) => [
      [read(`a/${index}.md`, drawPage(roll))],
      { done: [write(`b/${index}.md`, drawPage(roll))] },
    ]),
  ),
  fineRun('polls a build whose progress moves', (roll) => [
    ...createTimes(roll.between(10, 45), (index) => [
      act('mcp__ci__build', { id: 3 }, `building: ${index} of 50 modules`),
    ]),
    [act('mcp__ci__build', { id: 3 }, 'built')],
    COMPLETE_TODO,
  ]),
  fineRun('polls a build that only says that it runs', (roll) => [
    ...createTimes(roll.between(6, 24), () => [act('mcp__ci__build', { id: 3 }, 'The build is still running.')]),
    [act('mcp__ci__build', { id: 3 }, 'success')],
    COMPLETE_TODO,
  ]),
  fineRun('polls a progress that stands still for some checks at a time', (roll) => [
    ...createTimes(roll.between(12, 30), (index) => [
      act('mcp__index__state', {}, `indexing: ${Math.floor(index / 5) * 20} %`),
    ]),
    [act('mcp__index__state', {}, 'ready, 812 documents')],
    COMPLETE_TODO,
  ]),
  fineRun('waits for a server to start, with sleeps between failed connections', (roll) => [
    ...createRounds(roll.between(3, 8), (index) => [
      [
        command(
          roll,
          'curl -s http://localhost:8080/health',
          7,
          'curl: (7) Failed to connect to localhost port 8080: Connection refused',
        ),
      ],
      [command(roll, `sleep ${index}`, 0, '')],
    ]),
    [command(roll, 'curl -s http://localhost:8080/health', 0, '{"status":"up"}')],
    COMPLETE_TODO,
  ]),
  fineRun('rate limits that pass', (roll) => [
    ...createTimes(roll.between(2, 4), () => [
      failedAct('web_search', { query: 'audit rules' }, 'HTTP 429: too many requests, try again later.', {
        effect: 'idempotent',
      }),
    ]),
    [act('web_search', { query: 'audit rules' }, drawPage(roll), { effect: 'idempotent' })],
    COMPLETE_TODO,
  ]),
  fineRun('red, green, refactor', (roll) =>
    createRounds(roll.between(4, 8), (index) => [
      [write(`test/${index}.spec.ts`, drawPage(roll, 5))],
      [command(roll, 'npx vitest run', 1, `1 failed | ${index} passed`)],
      [write(`src/${index}.ts`, drawPage(roll, 5))],
      [command(roll, 'npx vitest run', 0, `${index + 1} passed`)],
      COMPLETE_TODO,
    ]),
  ),
  fineRun('many edits against one stubborn error', (roll) => [
    ...createRounds(roll.between(7, 14), (index) => [
      [edit('src/query.ts', drawProse(roll, 3), drawProse(roll, 3), `${drawPage(roll, 6)} ${index}`)],
      [command(roll, 'npm test', 1, 'AssertionError: expected 3 rows, got 2')],
    ]),
    [edit('src/query.ts', 'a', 'b', drawPage(roll, 6))],
    [command(roll, 'npm test', 0, 'all passed')],
    COMPLETE_TODO,
  ]),
  fineRun('edits with an outside tool whose answer is always ok', (roll) => [
    ...createTimes(roll.between(10, 20), (index) => [
      act('mcp__editor__replace', { file: 'x.ts', line: index * 3, text: drawProse(roll, 6) }, 'ok', {
        effect: 'once',
      }),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('reads one file in ranges', (roll) => [
    ...createTimes(roll.between(8, 25), (index) => [
      read('big.log', drawPage(roll, 15), { from_line: index * 15 - 14, to_line: index * 15 }),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('pages through search results', (roll) => [
    ...createTimes(roll.between(8, 20), (index) => [
      act('mcp__search__query', { q: 'invoice', offset: index * 10 }, drawPage(roll, 10)),
    ]),
    [act('mcp__search__query', { q: 'invoice', offset: 900 }, '[]')],
    COMPLETE_TODO,
  ]),
  fineRun('a large todo: reads and edits all over the place', (roll) => [
    ...createTimes(roll.between(30, 52), (index): Turn =>
      roll.happens(0.5)
        ? [read(`src/m${index}.ts`, drawPage(roll))]
        : [edit(`src/m${index}.ts`, 'x', 'y', drawPage(roll))],
    ),
    COMPLETE_TODO,
  ]),
  fineRun('checks the list after each edit', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [write(`o/${index}.md`, drawPage(roll, 3))],
      [list('many files')],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('reads the instructions again at the beginning of each todo', (roll) => {
    const text = drawPage(roll, 10);
    return createRounds(roll.between(5, 9), (index) => [
      [read('instructions.md', text)],
      [read(`in/${index}.md`, drawPage(roll))],
      { done: [write(`out/${index}.md`, drawPage(roll, 3))] },
    ]);
  }),
  fineRun('looks for several things that are not there, and goes on', (roll) => [
    ...['SEPA', 'Kassenbuch', 'GoBD', 'z1 access', 'tax office', 'hash chain']
      .slice(0, roll.between(3, 6))
      .map((pattern): Turn => [act('search_files', { pattern }, 'No line of 9 files matches.')]),
    [write('output/gaps.md', drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('asks for the state of many items, each open', (roll) => [
    ...createTimes(roll.between(8, 16), () => [
      act('mcp__tracker__state', { ticket: `${drawProse(roll, 1).toUpperCase()}-${roll.between(1, 9999)}` }, 'open'),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('creates many things that all answer alike', (roll) => [
    ...createTimes(roll.between(10, 22), (index) => [
      act('write_requirement_to_cache', { title: drawProse(roll, 5), section: index }, 'Kept as a requirement.', {
        effect: 'idempotent',
      }),
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('says a sentence between calls', (roll) =>
    createRounds(roll.between(4, 7), (index) => [
      `Now part ${index}.`,
      [read(`p/${index}.md`, drawPage(roll))],
      COMPLETE_TODO,
    ]),
  ),
  fineRun('two answers without calls, then work', (roll) => [
    'Hello.',
    `I understand. ${drawProse(roll)}`,
    [read('a.md', drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('guesses a path twice and then lists', (roll) => [
    ...createTimes(2, (index) => [failedAct('read_file', { path: `doc${index}.md` }, `doc${index}.md is not there.`)]),
    [list('docs/doc.md (9 bytes)')],
    [read('docs/doc.md', drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('installs what is missing, one thing after the other', (roll) => [
    ...['sharp', 'pdfjs', 'yaml', 'zod']
      .slice(0, roll.between(2, 4))
      .map((name): Turn[] => [
        [command(roll, 'node convert.js', 1, `Error: Cannot find module '${name}'`)],
        [command(roll, `npm install ${name}`, 0, `added ${roll.between(1, 30)} packages`)],
      ])
      .flat(),
    [command(roll, 'node convert.js', 0, drawPage(roll))],
    COMPLETE_TODO,
  ]),
  fineRun('reverts one edit that was wrong', (roll) => {
    const [one, two] = [drawPage(roll), drawPage(roll)];
    return [
      [edit('a.ts', 'x', 'y', one)],
      [edit('a.ts', 'y', 'z', two)],
      [edit('a.ts', 'z', 'y', one)],
      [command(roll, 'npm test', 0, 'ok')],
      COMPLETE_TODO,
    ];
  }),
  fineRun('watches a queue that drains slowly, with waits', (roll) => [
    ...createRounds(roll.between(5, 15), (index) => [
      [act('mcp__queue__length', {}, `${Math.max(0, 40 - Math.floor(index / 2) * 4)} waiting`)],
      [act('wait', { seconds: 20 }, 'Waited 20 seconds.')],
    ]),
    [act('mcp__queue__length', {}, '0 waiting')],
    COMPLETE_TODO,
  ]),
  fineRun('research: search and read, search and read', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [
        act('web_search', { query: `archiving ${drawProse(roll, 2)} ${index}` }, drawPage(roll, 8), {
          effect: 'idempotent',
        }),
      ],
      [act('fetch_url', { url: `https://example.org/p/${index}` }, drawPage(roll, 20), { effect: 'idempotent' })],
      [
        act('cite_web', { url: `https://example.org/p/${index}`, quote: drawProse(roll) }, `Kept as source ${index}.`, {
          effect: 'idempotent',
        }),
      ],
    ]),
    COMPLETE_TODO,
  ]),
  fineRun('several calls in one answer, some of them known', (roll) => [
    ...createTimes(roll.between(6, 12), (index) => [list('the same files'), read(`n/${index}.md`, drawPage(roll))]),
    COMPLETE_TODO,
  ]),
  fineRun('a long computation that is asked for twice and read in parts', (roll) => [
    [command(roll, 'python model.py', 0, drawPage(roll, 20))],
    [command(roll, 'python model.py', 0, drawPage(roll, 20))],
    ...createTimes(roll.between(3, 9), (index) => [read('out.csv', drawPage(roll, 10), { from_line: index * 10 })]),
    COMPLETE_TODO,
  ]),
  fineRun('has a look at a few files twice', (roll) => {
    const files = createTimes(4, (index) => read(`k/${index}.md`, drawPage(roll)));
    return [...files, ...files].map((file): Turn => [file]).concat([[write('o.md', drawPage(roll))], COMPLETE_TODO]);
  }),
  fineRun('greps by a command for names that must be gone', (roll) => [
    ...['oldName', 'LegacyStore', 'v1Client', 'toXml', 'initAll', 'sumUp', 'fooBar', 'getTotals']
      .slice(0, roll.between(6, 8))
      .map((name): Turn => [command(roll, `grep -rn ${name} src`, 1, '')]),
    COMPLETE_TODO,
  ]),
  fineRun('reads everything once more before it is done', (roll) => {
    const files = createTimes(roll.between(6, 9), (index) => write(`out/${index}.md`, drawPage(roll, 4)));
    const looks = files.map((file): Turn => [read(String(file.args['path']), String(file.args['content']))]);
    return [...files.map((file): Turn => [file]), ...looks, ...looks, COMPLETE_TODO];
  }),
  fineRun('a build with one surprise after the other', (roll) => [
    ...createTimes(roll.between(4, 7), (index) => [
      command(roll, `make step-${index}`, 2, `${drawProse(roll, 6)}: fatal error`),
    ]),
    [write('Makefile', drawPage(roll))],
    [command(roll, 'make', 0, 'done')],
    COMPLETE_TODO,
  ]),
  fineRun('thinks with a tool between its steps', (roll) => [
    ...createRounds(roll.between(6, 12), (index) => [
      [act('think', { thought: drawProse(roll, 20) }, 'Your thought was kept.')],
      [read(`q/${index}.md`, drawPage(roll))],
    ]),
    COMPLETE_TODO,
  ]),
];
