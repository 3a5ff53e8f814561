import { act, done, page, prose, read, times, type RunKind, type Turn } from '../labelled-run.js';
import { exists, growingFile, linesFile, moduleName, remote, run, search, writeFile } from './honest-acts.js';

export const mixed: readonly RunKind[] = [
  {
    name: 'does twelve todos of the same four steps',
    label: 'fine',
    play: (roll) =>
      times(12, (i): readonly Turn[] => [
        [read(`documents/${moduleName(i)}.md`, page(roll))],
        [search(moduleName(i), [`documents/${moduleName(i)}.md:1: ${prose(roll, 5)}`])],
        [writeFile(`output/${moduleName(i)}.md`, page(roll))],
        { done: [read(`output/${moduleName(i)}.md`, page(roll))] },
      ]).flat(),
  },
  {
    name: 'looks at its todos after every third step',
    label: 'fine',
    play: (roll) =>
      times(14, (i): readonly Turn[] => [
        ...times(3, (k) => [read(`src/${moduleName(i * 3 + k)}.ts`, page(roll, 6))]),
        [act('list_todos', {}, 'Todo 1 is being worked on.')],
      ]).flat(),
  },
  {
    name: 'says what it thinks between its steps',
    label: 'fine',
    play: (roll) =>
      times(12, (i): readonly Turn[] => [
        [read(`src/${moduleName(i)}.ts`, page(roll, 6))],
        [writeFile(`output/${moduleName(i)}.md`, page(roll, 6))],
        ...(i % 4 === 0 ? [`The modules up to ${moduleName(i)} are described. ${prose(roll, 10)}`] : []),
      ]).flat(),
  },
  {
    name: 'compares all pairs of ten contracts',
    label: 'fine',
    play: () =>
      times(10, (a) =>
        times(a - 1, (b) => [
          remote(
            'mcp__compare__texts',
            { left: `contracts/${a}.md`, right: `contracts/${b}.md` },
            'no difference in substance',
          ),
        ]),
      ).flat(),
  },
  {
    name: 'runs 20 scripts, each over another folder',
    label: 'fine',
    play: () =>
      times(20, (i) => [
        act(
          'run_script',
          { script: `const text = await tools.list_files({ path: '${moduleName(i)}' }); return text.length;` },
          '0',
        ),
      ]),
  },
  {
    name: 'reads a form, fills one field of it and checks, field by field',
    label: 'fine',
    play: (roll) => {
      const put = linesFile('output/form.md', 30, (i) => `${moduleName(i)}:`);
      return times(30, (i) => [put(i, `${moduleName(i)}: ${prose(roll, 3)}`), exists('output/form.md', 400 + i * 20)]);
    },
  },
  {
    name: 'asks for the weather of 40 days, on which it did not rain',
    label: 'fine',
    play: () =>
      times(40, (i) => [
        remote(
          'mcp__weather__rain',
          { station: 'Lindau', day: `2025-0${Math.ceil(i / 20)}-${String(((i - 1) % 20) + 1).padStart(2, '0')}` },
          '0.0 mm',
        ),
      ]),
  },
  {
    name: 'gives 50 invoices their account, from a list that it reads again every tenth time',
    label: 'fine',
    play: (roll) => {
      const accounts = page(roll, 10);
      const row = growingFile('output/accounts.csv');
      return times(50, (i) => [
        ...(i % 10 === 1 ? [read('documents/accounts.csv', accounts)] : []),
        read(`invoices/${i}.txt`, `Invoice ${i}\n${prose(roll, 6)}`),
        row(`${i};${roll.between(1_000, 9_999)}`),
      ]);
    },
  },
  {
    name: 'completes eleven todos that are each a single check',
    label: 'fine',
    play: () => times(11, (i): Turn => ({ done: [exists(`output/${moduleName(i)}.md`, 512)] })),
  },
  {
    name: 'reads, measures and writes 25 sections, then completes the todo',
    label: 'fine',
    play: (roll) => [
      ...times(25, (i) => [
        [read(`work/section-${i}.md`, page(roll, 5))],
        [run(roll, 'wc', ['-w', `work/section-${i}.md`], '40')],
        [writeFile(`output/section-${i}.md`, page(roll, 5))],
      ]).flat(),
      done,
    ],
  },
];
