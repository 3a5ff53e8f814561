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
  return createTimes(roll.between(1, 6), (index): Turn =>
    roll.happens(0.3)
      ? { done: [write(`output/${index}.md`, drawPage(roll, 4))] }
      : [read(`input/${drawProse(roll, 1)}-${index}.txt`, drawPage(roll))],
  );
}

const drawLength = (roll: Roll): number => roll.between(9, 24);

const workThenRepeat = (roll: Roll, repeat: (index: number) => Turn): readonly Turn[] => [
  ...work(roll),
  ...createTimes(drawLength(roll), repeat),
];

export const tuningStuck: readonly RunKind[] = [
  stuckRun('lists the files, and lists the files', ['same-call'], (roll) =>
    workThenRepeat(roll, () => [list('instructions.md (221 bytes)\nworkspace.md (90 bytes)')]),
  ),
  stuckRun('reads one file over and over, and two of it in one answer', ['same-call'], (roll) => {
    const file = read('workspace.md', drawPage(roll, 30));
    return workThenRepeat(roll, (index) => (index % 3 === 0 ? [file, file] : [file]));
  }),
  stuckRun('calls for its progress', ['same-call'], (roll) =>
    workThenRepeat(roll, () => [act('get_progress', {}, '0 of 7 todos are done (0 %).')]),
  ),
  stuckRun('builds, and does not look at what is wrong', ['same-call', 'errors'], (roll) =>
    workThenRepeat(roll, () => [
      command(roll, 'npm run build', 2, "src/x.ts(3,9): error TS2339: Property 'y' does not exist on type 'Z'."),
    ]),
  ),
  stuckRun('the same graph query with a counter in it', ['same-call', 'no-news'], (roll) => {
    const rows = drawPage(roll, 6);
    return workThenRepeat(roll, (index) => [
      act('mcp__graph__cypher', { query: 'MATCH (n) RETURN n', attempt: index }, rows, { effect: 'once' }),
    ]);
  }),
  stuckRun('polls what will never be ready, without a pause, for ever', ['same-call', 'no-progress'], (roll) => [
    ...work(roll),
    ...createTimes(roll.between(62, 75), () => [act('mcp__ci__status', { id: 7 }, 'queued')]),
  ]),
  stuckRun('a todo that it tries to complete although a call before it failed', ['same-call', 'errors'], (roll) =>
    workThenRepeat(roll, () => [failedAct('todo_complete', { notes: 'done' }, 'Not done: the todo is not open.')]),
  ),
  stuckRun('back and forth between two files', ['alternation'], (roll) => {
    const both = [read('a.md', drawPage(roll)), read('b.md', drawPage(roll))] as const;
    return workThenRepeat(roll, (index) => [both[index % 2]!]);
  }),
  stuckRun('search, open, search, open', ['alternation'], (roll) => {
    const search = act('web_search', { query: 'audit trail rules' }, drawPage(roll, 10), { effect: 'idempotent' });
    const open = act('fetch_url', { url: 'https://example.org/rules' }, drawPage(roll, 20), { effect: 'idempotent' });
    return workThenRepeat(roll, (index) => [index % 2 === 0 ? search : open]);
  }),
  stuckRun('writes one version, and the other, and the first again', ['alternation'], (roll) => {
    const [one, two] = [drawPage(roll, 6), drawPage(roll, 6)];
    return workThenRepeat(roll, (index) => [write('src/sum.ts', index % 2 === 0 ? one : two)]);
  }),
  stuckRun('edit, test, revert, test', ['alternation'], (roll) => {
    const [one, two] = ['return a + b;\n', 'return a - b;\n'];
    const round: Turn[] = [
      [edit('sum.js', one, two, two)],
      [command(roll, 'node --test', 1, '1 failing: sum of negatives')],
      [edit('sum.js', two, one, one)],
      [command(roll, 'node --test', 1, '1 failing: sum of positives')],
    ];
    return [...work(roll), ...createRounds(roll.between(4, 6), () => round)];
  }),
  stuckRun('three tools in a ring', ['alternation'], (roll) => {
    const ring = [
      list('a.md (3 bytes)'),
      read('a.md', 'abc'),
      act('search_files', { pattern: 'deadline' }, 'No line of 1 files matches.'),
    ];
    return [...work(roll), ...createTimes(drawLength(roll) + 3, (index) => [ring[index % 3]!])];
  }),
  stuckRun('reads the list, starts nothing, reads the instructions, reads the list', ['alternation'], (roll) => {
    const text = drawPage(roll, 8);
    return workThenRepeat(roll, (index) =>
      index % 2 === 0 ? [act('list_todos', {}, '1. [ ] Gather\n2. [ ] Sort')] : [read('instructions.md', text)],
    );
  }),
  stuckRun('asks the knowledge base in other words', ['no-news', 'same-call'], (roll) => {
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
    return workThenRepeat(roll, (index) => [
      act('semantic_search', { query: ways[index % ways.length]!, limit: 5 + (index % 3) }, answer),
    ]);
  }),
  stuckRun('greps for one thing with ever other patterns', ['no-news', 'same-call'], (roll) =>
    workThenRepeat(roll, (index) => [
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
  ),
  stuckRun('wanders through what it has read', ['no-news', 'alternation', 'no-progress'], (roll) => {
    const files = createTimes(4, (index) => read(`docs/${index}.md`, drawPage(roll)));
    return [
      ...work(roll),
      ...files.map((file): Turn => [file]),
      ...createTimes(drawLength(roll), () => [roll.pick(files)]),
    ];
  }),
  stuckRun('overlapping lists of hits, and nothing else', ['no-news', 'no-progress'], (roll) => {
    const hits = createTimes(20, () => drawProse(roll, 9));
    return [
      ...work(roll),
      ...createTimes(drawLength(roll) + 4, (index) => [
        act(
          'web_search',
          { query: `archive format ${drawProse(roll, 1)} ${index}` },
          createTimes(10, (at) => hits[(at * 3 + index) % 20]!).join('\n'),
          { effect: 'idempotent' },
        ),
      ]),
    ];
  }),
  stuckRun('files that are not there', ['errors', 'no-news'], (roll) =>
    workThenRepeat(roll, (index) => [
      failedAct(
        'read_file',
        { path: `${roll.pick(['docs', 'input', 'src'])}/${drawProse(roll, 1)}${index}.md` },
        `There is no file ${index}.md in the workspace.`,
      ),
    ]),
  ),
  stuckRun('edits whose place is never found', ['errors', 'no-news'], (roll) =>
    workThenRepeat(roll, (index) => [
      failedAct(
        'replace_in_file',
        { path: 'src/a.ts', find: `${drawProse(roll, 4)} ${index}`, replace: 'x' },
        'The text to find is not in src/a.ts.',
      ),
    ]),
  ),
  stuckRun('a command that fails, with other flags each time', ['errors', 'no-news', 'same-call'], (roll) =>
    workThenRepeat(roll, (index) => [
      command(
        roll,
        `node convert.js ${roll.pick(['-v', '--force', '--no-cache', '-x', '--debug'])} ${index}`,
        1,
        "Error: Cannot find module 'sharp'\nRequire stack:\n- /work/convert.js",
      ),
    ]),
  ),
  stuckRun('two kinds of failure by turns', ['errors', 'alternation', 'no-news'], (roll) =>
    workThenRepeat(roll, (index) =>
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
  ),
  stuckRun('is sorry', ['monologue'], (roll) => workThenRepeat(roll, () => `Sorry about that! ${drawProse(roll)}`)),
  stuckRun('says nothing at all', ['monologue'], (roll) => workThenRepeat(roll, () => '')),
  stuckRun('plans aloud and never begins', ['monologue'], (roll) =>
    workThenRepeat(roll, (index) => `Plan ${index}: ${drawPage(roll, 4)}`),
  ),
  stuckRun('searches the web without an end', ['no-progress'], (roll) => [
    ...work(roll),
    COMPLETE_TODO,
    ...createTimes(roll.between(70, 90), (index) => [
      act('web_search', { query: `${drawProse(roll, 4)} ${index}` }, drawPage(roll, 10), { effect: 'idempotent' }),
    ]),
  ]),
  stuckRun('writes note upon note', ['no-progress'], (roll) => [
    ...work(roll),
    COMPLETE_TODO,
    ...createTimes(roll.between(70, 90), (index) => [write(`notes/${index}.md`, drawPage(roll, 4))]),
  ]),
  stuckRun('reads, writes and runs, and finishes nothing', ['no-progress'], (roll) => [
    ...work(roll),
    COMPLETE_TODO,
    ...createTimes(80, (index): Turn =>
      index % 3 === 0
        ? [read(`src/${index}.ts`, drawPage(roll))]
        : index % 3 === 1
          ? [write(`src/${index}.ts`, drawPage(roll))]
          : [command(roll, `node t.js ${index}`, 1, `Error: ${drawProse(roll, 5)}`)],
    ),
  ]),
  stuckRun('an outside tool that reports its failure as JSON', ['errors', 'no-news'], (roll) =>
    workThenRepeat(roll, (index) => [
      act(
        'mcp__sheet__set',
        { cell: `B${index}`, value: roll.between(1, 99) },
        `{"success": false, "error": "sheet 'Totals' is protected", "cell": "B${index}"}`,
        { effect: 'once' },
      ),
    ]),
  ),
  stuckRun('two known calls in each answer, in changing order', ['same-call', 'alternation'], (roll) => {
    const both = [list('one file'), read('one.md', drawPage(roll))];
    return workThenRepeat(roll, () => (roll.happens(0.5) ? both : both.toReversed()));
  }),
];
