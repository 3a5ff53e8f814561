import { act, drawPage, drawProse, read, createTimes, type RunKind } from '../labelled-run.js';
import { editFile, growingFile, linesFile, moduleName, run, writeFile } from './honest-acts.js';

export const writing: readonly RunKind[] = [
  {
    name: 'edits one file at 40 places',
    label: 'fine',
    play: (roll) => {
      const put = linesFile('src/server.ts', 40, (i) => `// line ${i} ${drawProse(roll, 4)}`);
      return createTimes(40, (i) => [put(i, `await step${i}();`)]);
    },
  },
  {
    name: 'migrates 60 files by the same replacement',
    label: 'fine',
    play: () =>
      createTimes(60, (i) => {
        const path = `src/${moduleName(i)}.ts`;
        return [
          read(path, `import { get } from 'old-http';\nexport const ${moduleName(i)} = get('/${moduleName(i)}');\n`),
          editFile(
            path,
            'old-http',
            'new-http',
            `import { get } from 'new-http';\nexport const ${moduleName(i)} = 1;\n`,
          ),
        ];
      }),
  },
  {
    name: 'makes 60 folders known to version control by equal files',
    label: 'fine',
    play: () => createTimes(60, (i) => [writeFile(`data/${moduleName(i)}/.gitkeep`, '')]),
  },
  {
    name: 'fills a table row by row',
    label: 'fine',
    play: (roll) => {
      const row = growingFile('output/table.csv', 'id;amount\n');
      return createTimes(70, (i) => [row(`${i};${roll.between(1, 99_999)}`)]);
    },
  },
  {
    name: 'renames 30 files by writing each anew and deleting the old one',
    label: 'fine',
    play: (roll) =>
      createTimes(30, (i) => {
        const text = drawPage(roll, 3);
        const old = `docs/${moduleName(i)}.txt`;
        return [
          [read(old, text)],
          [writeFile(`docs/${moduleName(i)}.md`, text)],
          [act('delete_file', { path: old }, `Deleted ${old}.`)],
        ];
      }).flat(),
  },
  {
    name: 'translates 25 chapters',
    label: 'fine',
    play: (roll) =>
      createTimes(25, (i) => [
        [read(`documents/chapter-${i}.md`, drawPage(roll))],
        [writeFile(`output/kapitel-${i}.md`, drawPage(roll))],
      ]).flat(),
  },
  {
    name: 'raises the version in 40 manifests',
    label: 'fine',
    play: () =>
      createTimes(40, (i) => [
        editFile(
          `packages/${moduleName(i)}/package.json`,
          '"version": "1.4.0"',
          '"version": "1.5.0"',
          `{ "name": "${moduleName(i)}", "version": "1.5.0" }`,
        ),
      ]),
  },
  {
    name: 'puts the same head above 50 files that had the same content',
    label: 'fine',
    play: () =>
      createTimes(50, (i) => [
        editFile(
          `src/${moduleName(i)}/index.ts`,
          'export {};',
          '// SPDX: MIT\nexport {};',
          '// SPDX: MIT\nexport {};\n',
        ),
      ]),
  },
  {
    name: 'deletes 45 generated files one by one',
    label: 'fine',
    play: () =>
      createTimes(45, (i) => [
        act('delete_file', { path: `work/tmp-${moduleName(i)}.json` }, `Deleted work/tmp-${moduleName(i)}.json.`),
      ]),
  },
  {
    name: 'writes a draft again and again, a section longer each time',
    label: 'fine',
    play: (roll) => {
      let text = '# Report\n';
      return createTimes(16, (i) => {
        text += `\n## Part ${i}\n\n${drawPage(roll, 6)}\n`;
        return [writeFile('output/report.md', text)];
      });
    },
  },
  {
    name: 'takes 140 steps for one todo, each of which moves it on',
    label: 'fine',
    play: (roll) =>
      createTimes(140, (i) => {
        const path = `src/${moduleName(Math.ceil(i / 2))}.ts`;
        return i % 2 === 1 ? [read(path, drawPage(roll, 8))] : [writeFile(path, drawPage(roll, 8))];
      }),
  },
  {
    name: 'takes 140 steps for one todo and notes what it found after each ten',
    label: 'fine',
    play: (roll) =>
      createTimes(140, (i) =>
        i % 10 === 0
          ? [
              act('add_note', { content: `Modules up to ${i}: ${drawProse(roll, 8)}` }, 'Noted.', {
                files: { 'workspace.md': drawProse(roll, 30) },
              }),
            ]
          : [read(`vendor/${moduleName(i)}.js`, drawPage(roll, 8))],
      ),
  },
  {
    name: 'keeps count of 40 batches in one small file',
    label: 'fine',
    play: (roll) =>
      createTimes(40, (i) => [
        read(`inbox/batch-${i}.csv`, drawPage(roll, 3)),
        writeFile('work/progress.md', `${i} of 40 batches are done.\n`),
      ]),
  },
  {
    name: 'gives 60 strings of one file their translation, key by key',
    label: 'fine',
    play: (roll) => {
      const put = linesFile('locales/de.json', 60, (i) => `  "${moduleName(i)}": "",`);
      return createTimes(60, (i) => [put(i, `  "${moduleName(i)}": "${drawProse(roll, 2)}",`)]);
    },
  },
  {
    name: 'changes a schema and its page in turns',
    label: 'fine',
    play: (roll) => {
      const schema = linesFile('src/schema.ts', 25, (i) => `field${i}: any`);
      const docs = linesFile('docs/schema.md', 25, (i) => `- field${i}:`);
      return createTimes(25, (i) => [
        [schema(i, `field${i}: string`)],
        [docs(i, `- field${i}: ${drawProse(roll, 6)}`)],
      ]).flat();
    },
  },
  {
    name: 'tries ten settings, each measured and taken back before the next',
    label: 'fine',
    play: (roll) => {
      const base = 'option = none\n';
      return createTimes(10, (i) => {
        const name = moduleName(i);
        return [
          [editFile('bench.toml', 'option = none', `option = ${name}`, `option = ${name}\n`)],
          [run(roll, 'make', ['bench'], `${roll.between(900, 1_900)} requests per second`)],
          [editFile('bench.toml', `option = ${name}`, 'option = none', base)],
        ];
      }).flat();
    },
  },
];
