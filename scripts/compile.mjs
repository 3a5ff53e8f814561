// Compiles src/ of every project to dist/ without checking types, bundles the services, and builds the pages of the dashboard, so that a first run
// takes seconds, not minutes. `npm run build` also checks types and writes declarations; both produce the same JavaScript.
import { glob, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { transformWithOxc } from 'vite';
import { buildPages } from './build-pages.mjs';
import { bundleClaimsChecker } from './bundle-claims-checker.mjs';
import { bundleServices } from './bundle-services.mjs';

const root = join(import.meta.dirname, '..');
const options = {
  lang: 'ts',
  target: 'es2024',
  sourcemap: false,
  typescript: { onlyRemoveTypeImports: true },
  decorator: { legacy: true, emitDecoratorMetadata: true },
};

const getModifiedTime = (path) =>
  stat(path).then(
    ({ mtime }) => mtime,
    () => new Date(0),
  );

/** Compiles a file unless its output is current. Outputs get the modification time of their source, so that an older source is detected, too. */
async function compile(source) {
  const target = source.replace(`${sep}src${sep}`, `${sep}dist${sep}`).replace(/\.ts$/, '.js');
  const time = await getModifiedTime(source);
  if ((await getModifiedTime(target)).getTime() === time.getTime()) return false;
  const { code } = await transformWithOxc(await readFile(source, 'utf8'), source, options);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
  await utimes(target, time, time);
  return true;
}

const startedAt = performance.now();
const compilations = [];
for await (const path of glob('{apps,labs,libs,libs/packs}/*/src/**/*.ts', { cwd: root }))
  if (!path.endsWith('.spec.ts') && !path.startsWith('apps/dashboard/')) compilations.push(compile(join(root, path)));
const count = (await Promise.all(compilations)).filter(Boolean).length;
const hasBundle = (await getModifiedTime(join(root, 'libs/audit/dist/verify-claims.mjs'))).getTime() > 0;
if (count > 0 || !hasBundle) await bundleClaimsChecker();
const hasBundled = await bundleServices();
if ((await buildPages()) || hasBundled || count > 0)
  process.stderr.write(`compiled ${count} files in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
