import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { arrows, importersOfAnyLibrary } from '../../import-arrows.mjs';

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly '@phaseline/source': string }>>;
  readonly nx: { readonly tags: readonly string[] };
}

const root = join(import.meta.dirname, '../..');
const projects = globSync('{apps,labs,libs,libs/packs}/*/package.json', { cwd: root })
  .map((path) => ({
    folder: dirname(path),
    manifest: JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest,
  }))
  .sort((a, b) => a.folder.localeCompare(b.folder));

/** Labs that would have the name of a library. */
const labNames: Readonly<Record<string, string>> = {
  'labs/documents': 'documents-lab',
  'labs/learning': 'learning-lab',
};

/** The name of a project in import-arrows.mjs: that of its folder, for most. */
function nameOf(folder: string): string {
  if (folder.startsWith('libs/packs/'))
    return folder === 'libs/packs/specs' ? 'pack-specs' : `${basename(folder)}-packs`;
  return labNames[folder] ?? basename(folder);
}

/** Names that a barrel exports, without those of `./testing`, which only specs import. */
function exportsOf({ folder, manifest }: (typeof projects)[number]): string[] {
  return Object.entries(manifest.exports ?? {})
    .filter(([path]) => path !== './testing')
    .flatMap(([, { '@phaseline/source': source }]) => namesExportedBy(join(root, folder, source)));
}

function namesExportedBy(file: string): string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      if (statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause))
        throw new Error(`${file}: name each export; "export *" hides what the barrel contains`);
      // A name that a barrel re-exports from another project counts only once.
      if ((statement.moduleSpecifier as ts.StringLiteral).text.startsWith('@phaseline/')) return [];
      return statement.exportClause.elements.map(({ name }) => name.text);
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => (name as ts.Identifier).text);
    return [(statement as ts.FunctionDeclaration).name!.text];
  });
}

it('import-arrows.mjs lists every project', () => {
  expect(projects.map(({ folder }) => nameOf(folder)).filter((name) => arrows[name] === undefined)).toEqual([]);
});

it('every arrow is used by an import', () => {
  const unused = projects
    .filter(({ folder }) => !importersOfAnyLibrary.includes(nameOf(folder)))
    .map(({ folder }) => ({ name: nameOf(folder), imported: projectsImportedIn(folder) }))
    .flatMap(({ name, imported }) => arrows[name]!.filter((to) => !imported.has(to)).map((to) => `${name} → ${to}`));
  expect(unused).toEqual([]);
});

function projectsImportedIn(folder: string): Set<string> {
  const texts = globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  return new Set(texts.flatMap((text) => [...text.matchAll(/['"]@phaseline\/([\w-]+)/g)].map(([, name]) => name!)));
}

describe.each(projects)('$folder', ({ folder, manifest }) => {
  it('has the package name and the tags that follow from its folder', () => {
    const name = nameOf(folder);
    const type = { apps: 'app', labs: 'lab', libs: 'lib' }[folder.split('/')[0]!];
    expect(manifest.name).toBe(`@phaseline/${name}`);
    expect(manifest.nx.tags).toEqual([`type:${type}`, `scope:${name}`]);
  });

  it('has a README', () => {
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
  });
});

it('no name is exported by two projects for different things', () => {
  const owners = Map.groupBy(
    projects.flatMap((project) => exportsOf(project).map((name) => ({ name, folder: project.folder }))),
    ({ name }) => name,
  );
  const doubled = [...owners]
    .map(([name, places]) => ({ name, folders: [...new Set(places.map(({ folder }) => folder))] }))
    .filter(({ folders }) => folders.length > 1);
  expect(doubled).toEqual([]);
});

it('every cast through `never` or `unknown` outside specs says why', () => {
  const files = globSync('{apps,labs,libs,libs/packs}/*/src/**/*.ts', { cwd: root }).filter(
    (path) => !/\.(spec|fixture)\.ts$|\/testing\//.test(path),
  );
  const unexplained = files.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    return lines.flatMap((line, index) => {
      const isExplained = lines.slice(Math.max(0, index - 6), index + 1).some((near) => /\/\/|\*\//.test(near));
      return /\bas (?:never|unknown as)\b/.test(line) && !isExplained ? [`${path}:${index + 1}`] : [];
    });
  });
  expect(unexplained).toEqual([]);
});
