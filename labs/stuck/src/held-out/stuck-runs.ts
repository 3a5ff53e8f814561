import type { Roll } from '@phaseline/harness';
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
  write,
  stuckRun,
  type RunKind,
  type Turn,
} from '../labelled-run.js';

/** Some honest work before the phase becomes stuck. */
function work(roll: Roll): readonly Turn[] {
  const turns: Turn[] = [];
  for (let count = roll.between(0, 7); count > 0; count -= 1)
    turns.push(
      roll.pick<() => Turn>([
        () => [read(`docs/${drawProse(roll, 2).replace(' ', '-')}.md`, drawPage(roll))],
        () => [write(`notes/${drawProse(roll, 2).replace(' ', '-')}.md`, drawPage(roll, 5))],
        () => [act('web_search', { query: drawProse(roll, 4) }, drawPage(roll), { effect: 'idempotent' })],
        () => ({ done: [write(`output/${drawProse(roll, 1)}-${count}.md`, drawPage(roll, 4))] }),
      ])(),
    );
  return turns;
}

const drawLength = (roll: Roll): number => roll.between(10, 26);

const workThenRepeat = (roll: Roll, repeat: (index: number) => Turn): readonly Turn[] => [
  ...work(roll),
  ...createTimes(drawLength(roll), repeat),
];

export const heldOutStuck: readonly RunKind[] = [
  stuckRun('asks for the schema of one table again and again', ['same-call'], (roll) => {
    const schema = act('mcp__db__describe_table', { table: 'vouchers' }, drawPage(roll, 9), { effect: 'once' });
    return workThenRepeat(roll, () => [schema]);
  }),
  stuckRun('runs the failing test suite without touching the code', ['same-call', 'errors'], (roll) =>
    workThenRepeat(roll, () => [
      command(roll, 'pytest -q tests', 1, 'E   AssertionError: expected 12, got 11\n1 failed, 44 passed in 3.2s'),
    ]),
  ),
  stuckRun('reads its todo list and does none of it', ['same-call'], (roll) => {
    const todos = act('list_todos', {}, '1. [ ] Read the contract\n2. [ ] List the deadlines\n3. [ ] Write them down');
    return workThenRepeat(roll, () => [todos]);
  }),
  stuckRun('writes the same file with the same content', ['same-call'], (roll) => {
    const text = drawPage(roll, 6);
    return workThenRepeat(roll, () => [write('output/summary.md', text)]);
  }),
  stuckRun('opens the same page, each time with another reason', ['same-call', 'no-news'], (roll) => {
    const text = drawPage(roll, 20);
    return workThenRepeat(roll, (index) => [
      act('fetch_url', { url: 'https://example.org/rules', reason: `${drawProse(roll, 5)} ${index}` }, text, {
        effect: 'idempotent',
      }),
    ]);
  }),
  stuckRun('the same query, spelled a little differently each time', ['same-call', 'no-news'], (roll) => {
    const rows = drawPage(roll, 5);
    const spelled = [
      'SELECT * FROM booking',
      'select * from booking',
      'SELECT  *  FROM booking;',
      'Select * From booking',
      '(SELECT * FROM booking)',
    ];
    return workThenRepeat(roll, (index) => [
      act('mcp__db__query', { sql: spelled[index % spelled.length]! }, rows, { effect: 'once' }),
    ]);
  }),
  stuckRun('looks at the clock and at the same file by turns', ['same-call', 'alternation', 'no-progress'], (roll) => {
    const text = drawPage(roll, 8);
    return [
      ...work(roll),
      ...createTimes(drawLength(roll) + 6, (index) =>
        index % 2 === 0
          ? [
              act(
                'mcp__time__now',
                {},
                `2026-03-0${roll.between(1, 9)}T10:${roll.between(10, 59)}:${roll.between(10, 59)}Z, tick ${index}`,
              ),
            ]
          : [read('input/contract.txt', text)],
      ),
    ];
  }),
  stuckRun('lists and reads, lists and reads', ['alternation'], (roll) => {
    const text = drawPage(roll, 10);
    return workThenRepeat(roll, (index) =>
      index % 2 === 0
        ? [list('documents/a.pdf (8812 bytes)\ninstructions.md (221 bytes)')]
        : [read('instructions.md', text)],
    );
  }),
  stuckRun('switches a setting on and off again', ['alternation'], (roll) => {
    const file = (value: string): string => `strict: ${value}\nlevel: 3\n`;
    return [
      ...work(roll),
      [read('config.yaml', file('false'))],
      ...createTimes(drawLength(roll), (index) =>
        index % 2 === 0
          ? [edit('config.yaml', 'strict: true', 'strict: false', file('false'))]
          : [edit('config.yaml', 'strict: false', 'strict: true', file('true'))],
      ),
    ];
  }),
  stuckRun('adds an import, sees the cycle, takes it out, sees it missing', ['alternation'], (roll) => {
    const with_ = `import { a } from './a.js';\nuse(a);\n`;
    const without = `use(a);\n`;
    const round: Turn[] = [
      [edit('src/b.ts', 'use(a);', with_, with_)],
      [command(roll, 'tsc --noEmit', 2, 'src/b.ts(1,19): error TS2303: Circular definition of import alias a.')],
      [edit('src/b.ts', with_, 'use(a);', without)],
      [command(roll, 'tsc --noEmit', 2, "src/b.ts(1,5): error TS2304: Cannot find name 'a'.")],
    ];
    return [...work(roll), ...createRounds(roll.between(4, 7), () => round)];
  }),
  stuckRun('walks through five files in the same order for ever', ['alternation', 'no-news'], (roll) => {
    const files = createTimes(5, (index) => read(`src/part-${index}.ts`, drawPage(roll, 12)));
    return [...work(roll), ...createRounds(roll.between(4, 6), () => files.map((file): Turn => [file]))];
  }),
  stuckRun('opens a ticket and closes it', ['alternation'], (roll) =>
    workThenRepeat(roll, (index) => [
      act('mcp__tracker__set_state', { ticket: 'PL-118', state: index % 2 === 0 ? 'open' : 'closed' }, 'ok', {
        effect: 'once',
      }),
    ]),
  ),
  stuckRun('asks two experts, who each send it to the other', ['alternation'], (roll) =>
    workThenRepeat(roll, (index) =>
      index % 2 === 0
        ? [
            act(
              'mcp__desk__ask_legal',
              { question: 'Who decides on the retention of drafts?' },
              'That is a question for the tax department; please ask them. We cannot decide it for the records that they keep in their own system.',
            ),
          ]
        : [
            act(
              'mcp__desk__ask_tax',
              { question: 'Who decides on the retention of drafts?' },
              'Legal decides about drafts. Please ask them; we only keep what we are told to keep, and for as long as they say.',
            ),
          ],
    ),
  ),
  stuckRun('searches for the same thing in other words and gets the same list', ['no-news', 'same-call'], (roll) => {
    const hits = drawPage(roll, 14);
    const ways = [
      'retention of invoices',
      'how long to keep invoices',
      'invoice retention period',
      'invoices retention law',
      'keeping invoices years',
      'duration invoice archive',
      'years to store invoices',
      'legal period for invoices',
      'invoice storage duration',
    ];
    return workThenRepeat(roll, (index) => [
      act(
        'web_search',
        { query: `${ways[index % ways.length]!}${index > 9 ? ` ${index}` : ''}` },
        `Results for ${ways[index % ways.length]!}:\n${hits}`,
        { effect: 'idempotent' },
      ),
    ]);
  }),
  stuckRun('looks for a word that is not in the documents, in ever other words', ['no-news', 'same-call'], (roll) => {
    const ways = [
      'tamper evident',
      'tamper-proof',
      'tamper evidence log',
      'evidence of tampering',
      'tampering evident',
      'tamper',
      'tampered evidence',
      'proof of tamper',
      'evident tamper seal',
    ];
    return workThenRepeat(roll, (index) => [
      act(
        'search_files',
        { pattern: `${ways[index % ways.length]!}${'.'.repeat(index % 4)}` },
        'No line of 14 files matches.',
      ),
    ]);
  }),
  stuckRun('reads pieces of a file that it has just read, again', ['no-news', 'alternation'], (roll) => {
    const lines = createTimes(90, (index) => `${index} ${drawProse(roll, 7)}`);
    const ranges = [
      [1, 30],
      [31, 60],
      [61, 90],
      [10, 25],
      [40, 55],
      [1, 20],
      [70, 88],
      [32, 50],
      [62, 80],
      [5, 28],
    ] as const;
    return workThenRepeat(roll, (index) => {
      const [from, to] = ranges[(index - 1) % ranges.length]!;
      return [read('input/report.txt', lines.slice(from - 1, to).join('\n'), { from_line: from, to_line: to })];
    });
  }),
  stuckRun('pages on behind the last page', ['no-news', 'same-call'], (roll) => [
    ...work(roll),
    ...createTimes(3, (index) => [act('mcp__crm__list_accounts', { page: index }, drawPage(roll, 10))]),
    ...createTimes(drawLength(roll), (index) => [
      act('mcp__crm__list_accounts', { page: index + 3 }, '{"items": [], "total": 30}'),
    ]),
  ]),
  stuckRun('reads what it knows, in no order', ['no-news', 'alternation', 'no-progress'], (roll) => {
    const files = createTimes(6, (index) => read(`notes/${index}.md`, drawPage(roll, 9)));
    return [
      ...work(roll),
      ...files.map((file): Turn => [file]),
      ...createTimes(drawLength(roll), () => [roll.pick(files)]),
    ];
  }),
  stuckRun('a program that is not there, called in every way', ['errors', 'no-news', 'same-call'], (roll) => {
    const lines = [
      'pdftotext in.pdf',
      '/usr/bin/pdftotext in.pdf',
      './pdftotext in.pdf out.txt',
      'pdftotext -layout in.pdf',
      'pdftotext --help',
      'pdftotext in.pdf -',
      'pdftotext -raw in.pdf',
    ];
    return workThenRepeat(roll, (index) => {
      const [program = '', ...args] = lines[index % lines.length]!.split(' ');
      return [
        failedAct('run_command', { program, args }, `${program} is not among the programs allowed: node, git.`, {
          effect: 'once',
        }),
      ];
    });
  }),
  stuckRun('arguments that never fit, a little different each time', ['errors', 'no-news'], (roll) =>
    workThenRepeat(roll, (index) => [
      failedAct(
        'mcp__crm__update',
        { id: `acc-${index}`, fields: { [roll.pick(['name', 'Name', 'NAME', 'title'])]: drawProse(roll, 2) } },
        `Invalid field at position ${roll.between(1, 80)}: expected one of the columns.`,
        { effect: 'once' },
      ),
    ]),
  ),
  stuckRun('an error of another kind every time, and no way out', ['errors'], (roll) =>
    workThenRepeat(roll, (index) => [
      command(
        roll,
        roll.pick(['make all', 'make', 'make -j2 all', 'make build']),
        2,
        `${roll.pick(['ld', 'cc1', 'ar', 'as'])}: fatal error: ${drawProse(roll, 6)} ${index}`,
      ),
    ]),
  ),
  stuckRun('a login that is refused, whatever it sends', ['errors', 'no-news'], (roll) =>
    workThenRepeat(roll, (index) => [
      act(
        'mcp__http__request',
        { url: `https://api.example.org/v${(index % 3) + 1}/me`, token: `t-${roll.between(100, 999)}` },
        'HTTP 401 Unauthorized: the token is not valid.',
        { effect: 'once' },
      ),
    ]),
  ),
  stuckRun('apologises', ['monologue'], (roll) =>
    workThenRepeat(
      roll,
      (index) => `I am sorry for the confusion. ${drawProse(roll, 8)}. I will now go on with step ${index}.`,
    ),
  ),
  stuckRun('says that all is done, and does nothing', ['monologue'], (roll) =>
    workThenRepeat(roll, () => 'The report is complete and everything was checked.'),
  ),
  stuckRun(
    'thinks aloud, and now and then looks at the same list',
    ['monologue', 'no-news', 'same-call', 'no-progress'],
    (roll) => {
      const files = list('instructions.md (221 bytes)');
      return [
        ...work(roll),
        ...createTimes(drawLength(roll) + 8, (index): Turn =>
          index % 5 === 0 ? [files] : `Let me think. ${drawProse(roll, 12)}.`,
        ),
      ];
    },
  ),
  stuckRun('reads ever other pages, and never comes to an end', ['no-progress'], (roll) => [
    ...work(roll),
    COMPLETE_TODO,
    ...createTimes(roll.between(75, 95), (index) => [
      act('fetch_url', { url: `https://example.org/${drawProse(roll, 1)}/${index}` }, drawPage(roll), {
        effect: 'idempotent',
      }),
    ]),
  ]),
  stuckRun('polishes one text for ever', ['no-progress'], (roll) => [
    ...work(roll),
    COMPLETE_TODO,
    ...createTimes(roll.between(72, 90), () => [write('output/report.md', drawPage(roll, 15))]),
  ]),
  stuckRun('mostly known things, a crumb of news now and then', ['no-progress', 'no-news'], (roll) => {
    const files = createTimes(5, (index) => read(`lib/${index}.py`, drawPage(roll, 9)));
    return [
      ...work(roll),
      ...files.map((file): Turn => [file]),
      ...createTimes(70, (index): Turn =>
        index % 6 === 0 ? [read(`lib/extra-${index}.py`, drawPage(roll, 9))] : [roll.pick(files)],
      ),
    ];
  }),
];
