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
  run,
} from '../labelled-run.js';
import { editFile, growingFile, linesFile, moduleName } from './honest-acts.js';

export const writing: readonly RunKind[] = [
  fineRun('edits one file at 40 places', (roll) => {
    const put = linesFile('src/server.ts', 40, (i) => `// line ${i} ${drawProse(roll, 4)}`);
    return createTimes(40, (i) => [put(i, `await step${i}();`)]);
  }),
  fineRun('migrates 60 files by the same replacement', () =>
    createTimes(60, (i) => {
      const path = `src/${moduleName(i)}.ts`;
      return [
        read(path, `import { get } from 'old-http';\nexport const ${moduleName(i)} = get('/${moduleName(i)}');\n`),
        editFile(path, 'old-http', 'new-http', `import { get } from 'new-http';\nexport const ${moduleName(i)} = 1;\n`),
      ];
    }),
  ),
  fineRun('makes 60 folders known to version control by equal files', () =>
    createTimes(60, (i) => [write(`data/${moduleName(i)}/.gitkeep`, '')]),
  ),
  fineRun('fills a table row by row', (roll) => {
    const row = growingFile('output/table.csv', 'id;amount\n');
    return createTimes(70, (i) => [row(`${i};${roll.between(1, 99_999)}`)]);
  }),
  fineRun('renames 30 files by writing each anew and deleting the old one', (roll) =>
    createRounds(30, (i) => {
      const text = drawPage(roll, 3);
      const old = `docs/${moduleName(i)}.txt`;
      return [
        [read(old, text)],
        [write(`docs/${moduleName(i)}.md`, text)],
        [act('delete_file', { path: old }, `Deleted ${old}.`)],
      ];
    }),
  ),
  fineRun('translates 25 chapters', (roll) =>
    createRounds(25, (i) => [
      [read(`documents/chapter-${i}.md`, drawPage(roll))],
      [write(`output/kapitel-${i}.md`, drawPage(roll))],
    ]),
  ),
  fineRun('raises the version in 40 manifests', () =>
    createTimes(40, (i) => [
      editFile(
        `packages/${moduleName(i)}/package.json`,
        '"version": "1.4.0"',
        '"version": "1.5.0"',
        `{ "name": "${moduleName(i)}", "version": "1.5.0" }`,
      ),
    ]),
  ),
  fineRun('puts the same head above 50 files that had the same content', () =>
    createTimes(50, (i) => [
      editFile(`src/${moduleName(i)}/index.ts`, 'export {};', '// SPDX: MIT\nexport {};', '// SPDX: MIT\nexport {};\n'),
    ]),
  ),
  fineRun('deletes 45 generated files one by one', () =>
    createTimes(45, (i) => [
      act('delete_file', { path: `work/tmp-${moduleName(i)}.json` }, `Deleted work/tmp-${moduleName(i)}.json.`),
    ]),
  ),
  fineRun('writes a draft again and again, a section longer each time', (roll) => {
    let text = '# Report\n';
    return createTimes(16, (i) => {
      text += `\n## Part ${i}\n\n${drawPage(roll, 6)}\n`;
      return [write('output/report.md', text)];
    });
  }),
  fineRun('takes 140 steps for one todo, each of which moves it on', (roll) =>
    createTimes(140, (i) => {
      const path = `src/${moduleName(Math.ceil(i / 2))}.ts`;
      return i % 2 === 1 ? [read(path, drawPage(roll, 8))] : [write(path, drawPage(roll, 8))];
    }),
  ),
  fineRun('takes 140 steps for one todo and notes what it found after each ten', (roll) =>
    createTimes(140, (i) =>
      i % 10 === 0
        ? [
            act('add_note', { content: `Modules up to ${i}: ${drawProse(roll, 8)}` }, 'Noted.', {
              files: { 'workspace.md': drawProse(roll, 30) },
            }),
          ]
        : [read(`vendor/${moduleName(i)}.js`, drawPage(roll, 8))],
    ),
  ),
  fineRun('keeps count of 40 batches in one small file', (roll) =>
    createTimes(40, (i) => [
      read(`inbox/batch-${i}.csv`, drawPage(roll, 3)),
      write('work/progress.md', `${i} of 40 batches are done.\n`),
    ]),
  ),
  fineRun('gives 60 strings of one file their translation, key by key', (roll) => {
    const put = linesFile('locales/de.json', 60, (i) => `  "${moduleName(i)}": "",`);
    return createTimes(60, (i) => [put(i, `  "${moduleName(i)}": "${drawProse(roll, 2)}",`)]);
  }),
  fineRun('changes a schema and its page in turns', (roll) => {
    const schema = linesFile('src/schema.ts', 25, (i) => `field${i}: any`);
    const docs = linesFile('docs/schema.md', 25, (i) => `- field${i}:`);
    return createRounds(25, (i) => [[schema(i, `field${i}: string`)], [docs(i, `- field${i}: ${drawProse(roll, 6)}`)]]);
  }),
  fineRun('tries ten settings, each measured and taken back before the next', (roll) => {
    const base = 'option = none\n';
    return createRounds(10, (i) => {
      const name = moduleName(i);
      return [
        [editFile('bench.toml', 'option = none', `option = ${name}`, `option = ${name}\n`)],
        [run(roll, 'make', ['bench'], `${roll.between(900, 1_900)} requests per second`)],
        [editFile('bench.toml', `option = ${name}`, 'option = none', base)],
      ];
    });
  }),
];
