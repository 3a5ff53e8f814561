import {
  act,
  COMPLETE_TODO,
  drawPage,
  drawProse,
  read,
  createRounds,
  createTimes,
  fineRun,
  type RunKind,
  type Turn,
  write,
  run,
} from '../labelled-run.js';
import { exists, growingFile, linesFile, moduleName, remote, search } from './honest-acts.js';

export const mixed: readonly RunKind[] = [
  fineRun('does twelve todos of the same four steps', (roll) =>
    createRounds(12, (i) => [
      [read(`documents/${moduleName(i)}.md`, drawPage(roll))],
      [search(moduleName(i), [`documents/${moduleName(i)}.md:1: ${drawProse(roll, 5)}`])],
      [write(`output/${moduleName(i)}.md`, drawPage(roll))],
      { done: [read(`output/${moduleName(i)}.md`, drawPage(roll))] },
    ]),
  ),
  fineRun('looks at its todos after every third step', (roll) =>
    createRounds(14, (i) => [
      ...createTimes(3, (k) => [read(`src/${moduleName(i * 3 + k)}.ts`, drawPage(roll, 6))]),
      [act('list_todos', {}, 'Todo 1 is being worked on.')],
    ]),
  ),
  fineRun('says what it thinks between its steps', (roll) =>
    createRounds(12, (i) => [
      [read(`src/${moduleName(i)}.ts`, drawPage(roll, 6))],
      [write(`output/${moduleName(i)}.md`, drawPage(roll, 6))],
      ...(i % 4 === 0 ? [`The modules up to ${moduleName(i)} are described. ${drawProse(roll, 10)}`] : []),
    ]),
  ),
  fineRun('compares all pairs of ten contracts', () =>
    createRounds(10, (a) =>
      createTimes(a - 1, (b) => [
        remote(
          'mcp__compare__texts',
          { left: `contracts/${a}.md`, right: `contracts/${b}.md` },
          'no difference in substance',
        ),
      ]),
    ),
  ),
  fineRun('runs 20 scripts, each over another folder', () =>
    createTimes(20, (i) => [
      act(
        'run_script',
        { script: `const text = await tools.list_files({ path: '${moduleName(i)}' }); return text.length;` },
        '0',
      ),
    ]),
  ),
  fineRun('reads a form, fills one field of it and checks, field by field', (roll) => {
    const put = linesFile('output/form.md', 30, (i) => `${moduleName(i)}:`);
    return createTimes(30, (i) => [
      put(i, `${moduleName(i)}: ${drawProse(roll, 3)}`),
      exists('output/form.md', 400 + i * 20),
    ]);
  }),
  fineRun('asks for the weather of 40 days, on which it did not rain', () =>
    createTimes(40, (i) => [
      remote(
        'mcp__weather__rain',
        { station: 'Lindau', day: `2025-0${Math.ceil(i / 20)}-${String(((i - 1) % 20) + 1).padStart(2, '0')}` },
        '0.0 mm',
      ),
    ]),
  ),
  fineRun('gives 50 invoices their account, from a list that it reads again every tenth time', (roll) => {
    const accounts = drawPage(roll, 10);
    const row = growingFile('output/accounts.csv');
    return createTimes(50, (i) => [
      ...(i % 10 === 1 ? [read('documents/accounts.csv', accounts)] : []),
      read(`invoices/${i}.txt`, `Invoice ${i}\n${drawProse(roll, 6)}`),
      row(`${i};${roll.between(1_000, 9_999)}`),
    ]);
  }),
  fineRun('completes eleven todos that are each a single check', () =>
    createTimes(11, (i): Turn => ({ done: [exists(`output/${moduleName(i)}.md`, 512)] })),
  ),
  fineRun('reads, measures and writes 25 sections, then completes the todo', (roll) => [
    ...createRounds(25, (i) => [
      [read(`work/section-${i}.md`, drawPage(roll, 5))],
      [run(roll, 'wc', ['-w', `work/section-${i}.md`], '40')],
      [write(`output/section-${i}.md`, drawPage(roll, 5))],
    ]),
    COMPLETE_TODO,
  ]),
];
