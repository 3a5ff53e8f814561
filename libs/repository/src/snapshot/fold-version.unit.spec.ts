import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm, mkdtemp, writeFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { foldVersion } from './fold-version.js';

const root = join(import.meta.dirname, '../../../..');
const entryFiles = [
  'libs/domain/src/job/job-state.ts',
  'libs/domain/src/phase/evolve-phase.ts',
  'libs/repository/src/fold/outline.ts',
  // The fold shortens the arguments of calls with it.
  'libs/checks/src/call-record.ts',
];

/** Reads the sources of the fold: its entry files, and everything they import from their own project. */
async function readSources(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    if (found.has(path)) return;
    const text = (await readFile(join(root, path), 'utf8')).replaceAll('\r\n', '\n');
    found.set(path, text);
    for (const [, from] of text.matchAll(/ from '(\.{1,2}\/[^']+)\.js'/g))
      await visit(relative(root, join(root, dirname(path), `${from}.ts`)));
  };
  for (const path of entryFiles) await visit(path);
  return new Map([...found].sort());
}

// Written by `npx vitest run libs/repository/src/snapshot/fold-version.unit.spec.ts -u`.
it('matches the current sources', async () => {
  const files = await readSources();
  expect(files.size).toBeGreaterThan(10);
  const hash = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex');
  await expect(
    `/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */\nexport const foldSources = '${hash}';\n`,
  ).toMatchFileSnapshot('fold-sources.ts');
});

it('is the same in every build of the same sources', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-fold-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(
      join(folder, 'entry.js'),
      `import { foldVersion } from ${JSON.stringify(join(import.meta.dirname, 'fold-version.ts'))};\nconsole.log(foldVersion);\n`,
    );
    const versions: string[] = [];
    const codes: string[] = [];
    for (const [name, minify, target] of [
      ['plain', false, 'es2024'],
      ['minified', true, 'es2019'],
    ] as const) {
      await build({
        root: folder,
        configFile: false,
        logLevel: 'silent',
        ssr: { noExternal: [/@phaseline\//], resolve: { conditions: ['@phaseline/source', 'node'] } },
        build: { ssr: join(folder, 'entry.js'), outDir: join(folder, name), minify, target, emptyOutDir: true },
      });
      const built = join(folder, name, 'entry.js');
      const path = await readFile(built, 'utf8').then(
        () => built,
        () => built.replace(/js$/, 'mjs'),
      );
      codes.push(await readFile(path, 'utf8'));
      await writeFile(join(folder, name, 'package.json'), '{"type":"module"}');
      versions.push((await promisify(execFile)(process.execPath, [path])).stdout.trim());
    }
    expect(codes[1]!.length).toBeLessThan(codes[0]!.length);
    expect(versions).toEqual([foldVersion, foldVersion]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
