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
  type Act,
  stuckRun,
  type RunKind,
  type Turn,
} from '../labelled-run.js';

/** Productive work before the phase becomes stuck. */
function work(roll: Roll): readonly Turn[] {
  return createTimes(roll.between(0, 9), (index): Turn => {
    const step = roll.between(1, 4);
    if (step === 1) return [read(`in/${index}-${drawProse(roll, 1)}.txt`, drawPage(roll, roll.between(3, 40)))];
    if (step === 2) return [command(roll, `node step.js ${index}`, 0, drawPage(roll, 3)), list(drawPage(roll, 3))];
    if (step === 3) return [edit(`src/${index}.ts`, drawProse(roll, 3), drawProse(roll, 3), drawPage(roll, 10))];
    return { done: [write(`out/${index}.md`, drawPage(roll, 6))] };
  });
}

const drawLength = (roll: Roll): number => roll.between(14, 30);

const workThenRepeat = (roll: Roll, repeat: (index: number) => Turn): readonly Turn[] => [
  ...work(roll),
  ...createTimes(drawLength(roll), repeat),
];

export const finalStuck: readonly RunKind[] = [
  stuckRun('asks an agent for help that always gives the same advice', ['same-call'], (roll) => {
    const advice = drawPage(roll, 3);
    return workThenRepeat(roll, () => [
      act('mcp__agents__ask', { agent: 'reviewer', question: 'What next?' }, advice, { effect: 'once' }),
    ]);
  }),
  stuckRun('a query that takes its time and always finds the same rows', ['same-call'], (roll) => {
    const rows = drawPage(roll, 18);
    return workThenRepeat(roll, () => [
      act(
        'mcp__sql__run',
        { statement: 'SELECT id, total FROM invoice' },
        `18 rows in ${roll.between(3, 900)} ms\n${rows}`,
        { effect: 'once' },
      ),
    ]);
  }),
  stuckRun('a long test log with other times in it, and no edit between', ['same-call', 'errors'], (roll) => {
    const names = createTimes(60, () => drawProse(roll, 5));
    return workThenRepeat(roll, () => [
      command(
        roll,
        'npx jest',
        1,
        names.map((name, at) => `  ${at % 9 === 0 ? '✕' : '✓'} ${name} (${roll.between(1, 60)} ms)`).join('\n'),
      ),
    ]);
  }),
  stuckRun('opens the same ticket in three tools, round and round', ['alternation'], (roll) => {
    const acts: Act[] = ['get', 'history', 'comments'].map((what) =>
      act(`mcp__jira__${what}`, { key: 'AB-12' }, drawPage(roll, 6)),
    );
    return workThenRepeat(roll, (index) => [acts[index % 3]!]);
  }),
  stuckRun('formats the file one way, and the linter the other', ['alternation'], (roll) => {
    const [one, two] = ['const a = 1;\n', 'const a = 1\n'];
    return workThenRepeat(roll, (index) =>
      index % 2 === 0
        ? [command(roll, 'prettier --write a.ts', 0, 'a.ts', { 'a.ts': one })]
        : [command(roll, 'eslint --fix a.ts', 0, '', { 'a.ts': two })],
    );
  }),
  stuckRun('creates a record and deletes it', ['alternation'], (roll) =>
    workThenRepeat(roll, (index) =>
      index % 2 === 0
        ? [act('mcp__crm__create', { name: 'Test' }, 'created', { effect: 'once' })]
        : [act('mcp__crm__delete', { name: 'Test' }, 'deleted', { effect: 'once' })],
    ),
  ),
  stuckRun(
    'slices of two files that it knows whole',
    ['no-news', 'alternation', 'same-call', 'no-progress'],
    (roll) => {
      const [one, two] = [createTimes(40, () => drawProse(roll, 6)), createTimes(40, () => drawProse(roll, 6))];
      return [
        ...work(roll),
        [read('law/a.txt', one.join('\n'))],
        [read('law/b.txt', two.join('\n'))],
        ...createTimes(drawLength(roll), (): Turn => {
          const from = roll.between(1, 25);
          const [path, lines] = roll.happens(0.5) ? (['law/a.txt', one] as const) : (['law/b.txt', two] as const);
          return [read(path, lines.slice(from - 1, from + 13).join('\n'), { from_line: from, to_line: from + 13 })];
        }),
      ];
    },
  ),
  stuckRun('vector search with ever other sentences over three known passages', ['no-news', 'same-call'], (roll) => {
    const passages = createTimes(3, () => drawPage(roll, 6));
    return workThenRepeat(roll, (index) => [
      act('semantic_search', { query: `${drawProse(roll, 5)} ${index}` }, `3 passages\n${passages.join('\n--\n')}`),
    ]);
  }),
  stuckRun('lists folder after folder of an empty tree', ['no-news', 'same-call'], (roll) =>
    workThenRepeat(roll, (index) => [
      act(
        'list_files',
        { path: `archive/${2000 + (index % 11)}/${roll.pick(['in', 'out', 'old', 'new'])}` },
        `There are no files below archive/${2000 + (index % 11)}.`,
      ),
    ]),
  ),
  stuckRun('a tool that wants another format of date each time', ['errors', 'no-news'], (roll) =>
    workThenRepeat(roll, () => [
      failedAct(
        'mcp__hr__book',
        { from: roll.pick(['2026-01-02', '02.01.2026', '1/2/2026', 'Jan 2', '20260102']), days: roll.between(1, 5) },
        `Bad date "${roll.between(1, 28)}": use the format of your locale.`,
        { effect: 'once' },
      ),
    ]),
  ),
  stuckRun('a script whose every version crashes at another line, run from memory', ['errors'], (roll) =>
    workThenRepeat(roll, (index) => [
      command(
        roll,
        `python -c ${drawProse(roll, 1)}${index}`,
        1,
        `Traceback (most recent call last):\n  File "<string>", line ${index}\n${roll.pick(['NameError', 'TypeError', 'ValueError', 'KeyError'])}: ${drawProse(roll, 4)}`,
      ),
    ]),
  ),
  stuckRun('writes whole essays in place of calls', ['monologue'], (roll) =>
    workThenRepeat(roll, () => drawPage(roll, 30)),
  ),
  stuckRun('asks the user, who is not there', ['monologue', 'no-news', 'same-call'], (roll) =>
    workThenRepeat(roll, (index) => `Shall I go on with part ${index}? Please answer yes or no.`),
  ),
  stuckRun('one small rename after the other, for ever', ['no-progress'], (roll) => [
    ...work(roll),
    COMPLETE_TODO,
    ...createTimes(roll.between(70, 85), (index) => [
      edit('src/names.ts', `n${index}`, `m${index}`, drawPage(roll, 8)),
    ]),
  ]),
];
