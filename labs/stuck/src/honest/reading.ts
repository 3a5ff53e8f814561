import {
  act,
  drawPage,
  drawProse,
  read,
  createRounds,
  createTimes,
  fineRun,
  type RunKind,
  write,
} from '../labelled-run.js';
import { editFile, growingFile, moduleName, readLines } from './honest-acts.js';

export const reading: readonly RunKind[] = [
  fineRun('reads a long file in 40 windows of lines', (roll) =>
    createTimes(40, (i) => [readLines('documents/law.txt', (i - 1) * 400 + 1, i * 400, 16_000, drawPage(roll))]),
  ),
  fineRun('reads a long file in 60 windows of bytes', (roll) =>
    createTimes(60, (i) => [
      act(
        'read_file',
        { path: 'documents/dump.json', from_byte: (i - 1) * 16_000, to_byte: i * 16_000 },
        `${drawPage(roll)}\n[bytes ${(i - 1) * 16_000} to ${i * 16_000} of 960000.]`,
      ),
    ]),
  ),
  fineRun('reads a protocol from its end to its beginning', (roll) =>
    createTimes(25, (i) => [
      readLines('logs/server.log', 10_000 - i * 400 + 1, 10_000 - (i - 1) * 400, 10_000, drawPage(roll)),
    ]),
  ),
  fineRun('reads a protocol whose lines are all the same, window by window', () =>
    createTimes(30, (i) => [
      readLines('logs/heartbeat.log', (i - 1) * 200 + 1, i * 200, 6_000, 'heartbeat ok\nheartbeat ok\nheartbeat ok'),
    ]),
  ),
  fineRun('reads 50 sources, then writes what it found', (roll) => [
    ...createTimes(50, (i) => [read(`src/${moduleName(i)}.ts`, drawPage(roll))]),
    [write('output/overview.md', drawPage(roll))],
  ]),
  fineRun('reads a file again after each of 15 changes to it', (roll) => {
    let text = drawPage(roll, 15);
    return createTimes(15, (i) => {
      const old = text.split('\n')[i - 1]!;
      const line = drawProse(roll, 9);
      text = text.replace(old, line);
      return [editFile('output/report.md', old, line, text), read('output/report.md', text)];
    });
  }),
  fineRun('compares 30 pairs of files that are equal', (roll) => {
    const row = growingFile('output/pairs.md');
    return createTimes(30, (i) => {
      const text = drawPage(roll, 5);
      return [
        read(`left/${moduleName(i)}.txt`, text),
        read(`right/${moduleName(i)}.txt`, text),
        row(`${moduleName(i)}: equal`),
      ];
    });
  }),
  fineRun('reads the style guide before each of 14 chapters', (roll) => {
    const guide = drawPage(roll);
    return createRounds(14, (i) => [
      [read('documents/style-guide.md', guide)],
      [write(`output/chapter-${i}.md`, drawPage(roll))],
    ]);
  }),
  fineRun('reads an original and its translation side by side', (roll) =>
    createRounds(20, (i) => [
      [readLines('documents/original.md', i * 50 - 49, i * 50, 1_000, drawPage(roll))],
      [readLines('documents/translation.md', i * 50 - 49, i * 50, 1_000, drawPage(roll))],
    ]),
  ),
  fineRun('reads 40 pages that carry the same head and foot', (roll) =>
    createTimes(40, (i) => [
      read(
        `work/pages/page-${i}.txt`,
        `Terms and Conditions of the Example Bank\n${drawProse(roll, 12)}\nPage ${i} of 40 – Confidential – All rights reserved`,
      ),
    ]),
  ),
  fineRun('looks for the line where a protocol goes wrong by halving', (roll) => {
    let low = 1;
    let high = 65_536;
    const wanted = roll.between(low, high);
    return createTimes(16, () => {
      const middle = Math.floor((low + high) / 2);
      const turn = [readLines('logs/trace.log', middle, middle, 65_536, middle < wanted ? 'state=ok' : 'state=broken')];
      if (middle < wanted) low = middle + 1;
      else high = middle;
      return turn;
    });
  }),
  fineRun('reads 30 results that were kept, with the same file of figures between them', (roll) => {
    const figures = drawPage(roll, 4);
    const row = growingFile('output/figures.md');
    return createTimes(30, (i) => [
      read(`tool_results/call_${i}.txt`, drawPage(roll, 6)),
      ...(i % 6 === 0 ? [read('work/limits.csv', figures)] : []),
      row(`| ${i} | ${roll.between(1, 9_999)} |`),
    ]);
  }),
  fineRun('reads the lines of one file that a list names, here and there', (roll) =>
    createTimes(45, () => {
      const line = roll.between(1, 90_000);
      return [readLines('documents/register.csv', line, line + 1, 90_001, `${line};${drawProse(roll, 5)}`)];
    }),
  ),
];
