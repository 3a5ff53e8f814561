import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { arrows } from '../../import-arrows.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = await readFile(`${root}ARCHITECTURE.md`, 'utf8');

const projects = Object.keys(arrows);
/** Libraries, without `workers` and `harness`, which few projects may import. */
const libraries = projects.slice(0, projects.indexOf('workers'));

/** Writes allowed imports as in the table: as a list, or as "any library except …" when that is shorter. */
function renderImports(imports: readonly string[]): string {
  const allowed = new Set(imports);
  const missing = libraries.filter((name) => !allowed.has(name));
  if (missing.length < allowed.size / 2 && allowed.size > libraries.length / 2) {
    const others = projects.filter((name) => allowed.has(name) && !libraries.includes(name));
    const exceptions = missing.length > 0 ? [`any library except ${missing.join(', ')}`] : ['any library'];
    return [...exceptions, ...others].join('; ');
  }
  return allowed.size === 0 ? '–' : projects.filter((name) => allowed.has(name)).join(', ');
}

/** Returns the lines of the table with this heading row, without the heading. */
function readTable(firstHeading: string): string[] {
  const [, table = ''] = new RegExp(`^\\| ${firstHeading} \\|.*\\n\\|[-|]+\\|\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  return table.trimEnd().split('\n');
}

function readCells(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

it('ARCHITECTURE.md shows the imports of import-arrows.mjs', async () => {
  // To update it: npx vitest run test/docs -u
  const rows = readTable('project');
  const described = rows.map(readCells).map(([names = '', purpose = '']) => ({ names: names.split(', '), purpose }));
  const expected = described.flatMap(({ names, purpose }) => {
    const known = names.filter((name) => arrows[name]);
    const imports = known[0] === undefined ? '' : renderImports(arrows[known[0]]!);
    for (const name of known) expect(renderImports(arrows[name]!), name).toBe(imports);
    return known.length > 0 ? [`| ${known.join(', ')} | ${purpose} | ${imports} |`] : [];
  });
  const missing = projects.filter((name) => !described.some(({ names }) => names.includes(name)));
  expected.push(...missing.map((name) => `| ${name} |  | ${renderImports(arrows[name]!)} |`));
  await expect(page.replace(rows.join('\n'), expected.join('\n'))).toMatchFileSnapshot('../../ARCHITECTURE.md');
});

it('every answer in ARCHITECTURE.md names a function and the file that contains it', async () => {
  const answers = readTable('question').map(readCells);
  expect(answers.length).toBeGreaterThan(10);
  for (const [question, answer] of answers) {
    const [, symbol = '', path = ''] = /^`(\w+)` in `([^`]+)`/.exec(answer!) ?? [];
    expect(await readFile(`${root}${path}`, 'utf8'), question).toMatch(new RegExp(`\\b${symbol}[(<]`));
  }
});

const pages = (await readdir(`${root}docs`, { recursive: true }))
  // renames.md lists names of the past.
  .filter((name) => name.endsWith('.md') && name !== 'renames.md')
  .map((name) => `docs/${name}`);

it.each(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', ...pages])('every path in %s exists', async (name) => {
  const text = await readFile(`${root}${name}`, 'utf8');
  const paths = [...text.matchAll(/`((?:apps|labs|libs|test|migrations|scripts|workflows)(?:\/[\w./-]+)?)`/g)];
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, link]) => join(dirname(name), link!));
  const missing = [...paths.map(([, path]) => path!), ...links].filter((path) => !existsSync(`${root}${path}`));
  expect(missing.filter((path) => !/\/dist\//.test(path))).toEqual([]);
});
