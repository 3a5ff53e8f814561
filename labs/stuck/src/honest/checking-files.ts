import { act, failedAct, read, createTimes, fineRun, type RunKind, write, run } from '../labelled-run.js';
import { exists, growingFile, moduleName, search } from './honest-acts.js';

const template = 'enabled: true\nowner: platform\nretries: 3\n';
const pad = (index: number): string => String(index).padStart(3, '0');

export const checkingFiles: readonly RunKind[] = [
  fineRun('checks that 30 files are there, one per step', () =>
    createTimes(30, (i) => [exists(`output/chapter-${pad(i)}.md`, 2_048)]),
  ),
  fineRun('checks 80 paths of which none exists yet', () =>
    createTimes(80, (i) => [exists(`src/${moduleName(i)}/index.ts`)]),
  ),
  fineRun('checks 60 files, six per step', (roll) =>
    createTimes(10, (step) =>
      createTimes(6, (i) => exists(`data/part-${pad((step - 1) * 6 + i)}.csv`, roll.between(900, 9_000))),
    ),
  ),
  fineRun('finds out which of 40 translations are missing', () =>
    createTimes(40, (i) => [exists(`locales/${moduleName(i)}.de.json`, ...(i % 2 === 0 ? [] : ([311] as const)))]),
  ),
  fineRun('tabulates 80 files of equal content', () => {
    const row = growingFile('output/table.md', '| file | owner | retries |\n|---|---|---|\n');
    return createTimes(80, (i) => {
      const path = `config/${moduleName(i)}.yaml`;
      return i % 4 === 0 ? [read(path, template), row(`| ${path} | platform | 3 |`)] : [read(path, template)];
    });
  }),
  fineRun('reads 45 files that turn out to be empty', () =>
    createTimes(45, (i) => [read(`notes/day-${pad(i)}.txt`, `notes/day-${pad(i)}.txt is empty.`)]),
  ),
  fineRun('looks into 35 folders that are empty', () =>
    createTimes(35, (i) => [
      act('list_files', { path: `inbox/${moduleName(i)}` }, `There are no files below inbox/${moduleName(i)}.`),
    ]),
  ),
  fineRun('lists 40 packages that are all laid out alike', () =>
    createTimes(40, (i) => [
      act(
        'list_files',
        { path: `packages/${moduleName(i)}` },
        ['README.md (210 bytes)', 'package.json (388 bytes)', 'src/index.ts (97 bytes)']
          .map((file) => `packages/${moduleName(i)}/${file}`)
          .join('\n'),
      ),
    ]),
  ),
  fineRun('looks for a README and a licence in each of 30 packages', () =>
    createTimes(60, (i) => {
      const folder = `packages/${moduleName(Math.ceil(i / 2))}`;
      return [i % 2 === 1 ? exists(`${folder}/README.md`, 210) : exists(`${folder}/LICENSE`)];
    }),
  ),
  fineRun('counts the lines of 50 files of the same length', (roll) =>
    createTimes(50, (i) => [run(roll, 'wc', ['-l', `export/${pad(i)}.jsonl`], `200 export/${pad(i)}.jsonl`)]),
  ),
  fineRun('hashes 40 copies of one file', (roll) =>
    createTimes(40, (i) => [
      run(roll, 'sha256sum', [`copies/scan (${i}).pdf`], `9f2c1b7de04a5c33  copies/scan (${i}).pdf`),
    ]),
  ),
  fineRun('follows the 36 links of an index, some of which lead nowhere', (roll) => {
    const links = createTimes(36, (i) => `guide/${moduleName(i + 20)}.md`);
    return [
      [read('guide/index.md', links.map((link) => `- [${link}](${link})`).join('\n'))],
      ...links.map((link) => [exists(link, ...(roll.happens(0.2) ? [] : ([1_400] as const)))]),
      [write('output/broken-links.md', 'Seven links lead nowhere.\n')],
    ];
  }),
  fineRun('tells texts from pictures among 32 attachments by trying to read each', (roll) =>
    createTimes(32, (i) => {
      const path = `attachments/${pad(i)}.bin`;
      return roll.happens(0.15)
        ? [read(path, `Minutes of meeting ${i}`)]
        : [failedAct('read_file', { path }, `${path} is not a text file (4096 bytes). Use a tool made for its type.`)];
    }),
  ),
  fineRun('looks for the licence text in 40 files, one search per file', () =>
    createTimes(40, (i) => [
      search('Licensed under Apache-2.0', [`src/${moduleName(i)}.ts:1: // Licensed under Apache-2.0`], {
        path: `src/${moduleName(i)}.ts`,
      }),
    ]),
  ),
];
