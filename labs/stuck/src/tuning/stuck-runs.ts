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
  createTimes,
  write,
  type RunKind,
  type Turn,
} from '../labelled-run.js';

/** Some honest work before things go wrong. */
function first(roll: Roll): Turn[] {
  return createTimes(roll.between(1, 6), (index): Turn =>
    roll.happens(0.3)
      ? { done: [write(`output/${index}.md`, drawPage(roll, 4))] }
      : [read(`input/${drawProse(roll, 1)}-${index}.txt`, drawPage(roll))],
  ).slice();
}

const long = (roll: Roll): number => roll.between(9, 24);

export const tuningStuck: readonly RunKind[] = [
  {
    name: 'lists the files, and lists the files',
    label: 'same-call',
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), () => [list('instructions.md (221 bytes)\nworkspace.md (90 bytes)')]),
    ],
  },
  {
    name: 'reads one file over and over, and two of it in one answer',
    label: 'same-call',
    play: (roll) => {
      const file = read('workspace.md', drawPage(roll, 30));
      return [...first(roll), ...createTimes(long(roll), (index) => (index % 3 === 0 ? [file, file] : [file]))];
    },
  },
  {
    name: 'calls for its progress',
    label: 'same-call',
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), () => [act('get_progress', {}, '0 of 7 todos are done (0 %).')]),
    ],
  },
  {
    name: 'builds, and does not look at what is wrong',
    label: 'same-call',
    also: ['errors'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), () => [
        command(roll, 'npm run build', 2, "src/x.ts(3,9): error TS2339: Property 'y' does not exist on type 'Z'."),
      ]),
    ],
  },
  {
    name: 'the same graph query with a counter in it',
    label: 'same-call',
    also: ['no-news'],
    play: (roll) => {
      const rows = drawPage(roll, 6);
      return [
        ...first(roll),
        ...createTimes(long(roll), (index) => [
          act('mcp__graph__cypher', { query: 'MATCH (n) RETURN n', attempt: index }, rows, { effect: 'once' }),
        ]),
      ];
    },
  },
  {
    name: 'polls what will never be ready, without a pause, for ever',
    label: 'same-call',
    also: ['no-progress'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(roll.between(62, 75), () => [act('mcp__ci__status', { id: 7 }, 'queued')]),
    ],
  },
  {
    name: 'a todo that it tries to complete although a call before it failed',
    label: 'same-call',
    also: ['errors'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), () => [
        failedAct('todo_complete', { notes: 'done' }, 'Not done: the todo is not open.'),
      ]),
    ],
  },
  {
    name: 'back and forth between two files',
    label: 'alternation',
    play: (roll) => {
      const both = [read('a.md', drawPage(roll)), read('b.md', drawPage(roll))] as const;
      return [...first(roll), ...createTimes(long(roll), (index) => [both[index % 2]!])];
    },
  },
  {
    name: 'search, open, search, open',
    label: 'alternation',
    play: (roll) => {
      const search = act('web_search', { query: 'audit trail rules' }, drawPage(roll, 10), { effect: 'idempotent' });
      const open = act('fetch_url', { url: 'https://example.org/rules' }, drawPage(roll, 20), { effect: 'idempotent' });
      return [...first(roll), ...createTimes(long(roll), (index) => [index % 2 === 0 ? search : open])];
    },
  },
  {
    name: 'writes one version, and the other, and the first again',
    label: 'alternation',
    play: (roll) => {
      const [one, two] = [drawPage(roll, 6), drawPage(roll, 6)];
      return [
        ...first(roll),
        ...createTimes(long(roll), (index) => [write('src/sum.ts', index % 2 === 0 ? one : two)]),
      ];
    },
  },
  {
    name: 'edit, test, revert, test',
    label: 'alternation',
    play: (roll) => {
      const [one, two] = ['return a + b;\n', 'return a - b;\n'];
      const round: Turn[] = [
        [edit('sum.js', one, two, two)],
        [command(roll, 'node --test', 1, '1 failing: sum of negatives')],
        [edit('sum.js', two, one, one)],
        [command(roll, 'node --test', 1, '1 failing: sum of positives')],
      ];
      return [...first(roll), ...createTimes(roll.between(4, 6), () => round).flat()];
    },
  },
  {
    name: 'three tools in a ring',
    label: 'alternation',
    play: (roll) => {
      const ring = [
        list('a.md (3 bytes)'),
        read('a.md', 'abc'),
        act('search_files', { pattern: 'deadline' }, 'No line of 1 files matches.'),
      ];
      return [...first(roll), ...createTimes(long(roll) + 3, (index) => [ring[index % 3]!])];
    },
  },
  {
    name: 'reads the list, starts nothing, reads the instructions, reads the list',
    label: 'alternation',
    play: (roll) => {
      const text = drawPage(roll, 8);
      return [
        ...first(roll),
        ...createTimes(long(roll), (index) =>
          index % 2 === 0 ? [act('list_todos', {}, '1. [ ] Gather\n2. [ ] Sort')] : [read('instructions.md', text)],
        ),
      ];
    },
  },
  {
    name: 'asks the knowledge base in other words',
    label: 'no-news',
    also: ['same-call'],
    play: (roll) => {
      const answer = drawPage(roll, 9);
      const ways = [
        'what is a voucher',
        'voucher definition',
        'define voucher',
        'meaning of voucher',
        'voucher meaning in bookkeeping',
        'explain voucher',
        'voucher explained',
        'the term voucher',
      ];
      return [
        ...first(roll),
        ...createTimes(long(roll), (index) => [
          act('semantic_search', { query: ways[index % ways.length]!, limit: 5 + (index % 3) }, answer),
        ]),
      ];
    },
  },
  {
    name: 'greps for one thing with ever other patterns',
    label: 'no-news',
    also: ['same-call'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), (index) => [
        act(
          'search_files',
          {
            pattern: roll.pick([
              'retention period',
              'period of retention',
              '(retention|period)',
              'retention.*period',
              'RETENTION',
              'retention ',
            ]),
            context: index,
          },
          'No line of 8 files matches.',
        ),
      ]),
    ],
  },
  {
    name: 'wanders through what it has read',
    label: 'no-news',
    also: ['alternation', 'no-progress'],
    play: (roll) => {
      const files = createTimes(4, (index) => read(`docs/${index}.md`, drawPage(roll)));
      return [
        ...first(roll),
        ...files.map((file): Turn => [file]),
        ...createTimes(long(roll), () => [roll.pick(files)]),
      ];
    },
  },
  {
    name: 'overlapping lists of hits, and nothing else',
    label: 'no-news',
    also: ['no-progress'],
    play: (roll) => {
      const hits = createTimes(20, () => drawProse(roll, 9));
      return [
        ...first(roll),
        ...createTimes(long(roll) + 4, (index) => [
          act(
            'web_search',
            { query: `archive format ${drawProse(roll, 1)} ${index}` },
            createTimes(10, (at) => hits[(at * 3 + index) % 20]!).join('\n'),
            { effect: 'idempotent' },
          ),
        ]),
      ];
    },
  },
  {
    name: 'files that are not there',
    label: 'errors',
    also: ['no-news'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), (index) => [
        failedAct(
          'read_file',
          { path: `${roll.pick(['docs', 'input', 'src'])}/${drawProse(roll, 1)}${index}.md` },
          `There is no file ${index}.md in the workspace.`,
        ),
      ]),
    ],
  },
  {
    name: 'edits whose place is never found',
    label: 'errors',
    also: ['no-news'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), (index) => [
        failedAct(
          'replace_in_file',
          { path: 'src/a.ts', find: `${drawProse(roll, 4)} ${index}`, replace: 'x' },
          'The text to find is not in src/a.ts.',
        ),
      ]),
    ],
  },
  {
    name: 'a command that fails, with other flags each time',
    label: 'errors',
    also: ['no-news', 'same-call'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), (index) => [
        command(
          roll,
          `node convert.js ${roll.pick(['-v', '--force', '--no-cache', '-x', '--debug'])} ${index}`,
          1,
          "Error: Cannot find module 'sharp'\nRequire stack:\n- /work/convert.js",
        ),
      ]),
    ],
  },
  {
    name: 'two kinds of failure by turns',
    label: 'errors',
    also: ['alternation', 'no-news'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), (index) =>
        index % 2 === 0
          ? [
              failedAct(
                'fetch_url',
                { url: `https://intern.example/${index}` },
                'The address is private and is not fetched.',
                { effect: 'idempotent' },
              ),
            ]
          : [
              failedAct(
                'run_command',
                { program: 'curl', args: [`https://intern.example/${index}`] },
                'curl is not among the programs allowed.',
                { effect: 'once' },
              ),
            ],
      ),
    ],
  },
  {
    name: 'is sorry',
    label: 'monologue',
    play: (roll) => [...first(roll), ...createTimes(long(roll), () => `Sorry about that! ${drawProse(roll)}`)],
  },
  {
    name: 'says nothing at all',
    label: 'monologue',
    play: (roll) => [...first(roll), ...createTimes(long(roll), () => '')],
  },
  {
    name: 'plans aloud and never begins',
    label: 'monologue',
    play: (roll) => [...first(roll), ...createTimes(long(roll), (index) => `Plan ${index}: ${drawPage(roll, 4)}`)],
  },
  {
    name: 'searches the web without an end',
    label: 'no-progress',
    play: (roll) => [
      ...first(roll),
      COMPLETE_TODO,
      ...createTimes(roll.between(70, 90), (index) => [
        act('web_search', { query: `${drawProse(roll, 4)} ${index}` }, drawPage(roll, 10), { effect: 'idempotent' }),
      ]),
    ],
  },
  {
    name: 'writes note upon note',
    label: 'no-progress',
    play: (roll) => [
      ...first(roll),
      COMPLETE_TODO,
      ...createTimes(roll.between(70, 90), (index) => [write(`notes/${index}.md`, drawPage(roll, 4))]),
    ],
  },
  {
    name: 'reads, writes and runs, and finishes nothing',
    label: 'no-progress',
    play: (roll) => [
      ...first(roll),
      COMPLETE_TODO,
      ...createTimes(80, (index): Turn =>
        index % 3 === 0
          ? [read(`src/${index}.ts`, drawPage(roll))]
          : index % 3 === 1
            ? [write(`src/${index}.ts`, drawPage(roll))]
            : [command(roll, `node t.js ${index}`, 1, `Error: ${drawProse(roll, 5)}`)],
      ),
    ],
  },
  {
    name: 'an outside tool that reports its failure as JSON',
    label: 'errors',
    also: ['no-news'],
    play: (roll) => [
      ...first(roll),
      ...createTimes(long(roll), (index) => [
        act(
          'mcp__sheet__set',
          { cell: `B${index}`, value: roll.between(1, 99) },
          `{"success": false, "error": "sheet 'Totals' is protected", "cell": "B${index}"}`,
          { effect: 'once' },
        ),
      ]),
    ],
  },
  {
    name: 'two known calls in each answer, in changing order',
    label: 'same-call',
    also: ['alternation'],
    play: (roll) => {
      const both = [list('one file'), read('one.md', drawPage(roll))];
      return [...first(roll), ...createTimes(long(roll), () => (roll.happens(0.5) ? both : both.toReversed()))];
    },
  },
];
