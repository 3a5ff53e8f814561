// Makes dist/ of every project from its src/ without checking types: what a first run waits for is seconds, not minutes.
// `npm run build` checks as well, and writes the declarations; both leave the same JavaScript behind.
import { glob, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { transformWithOxc } from 'vite';

const root = join(import.meta.dirname, '..');
const options = {
  lang: 'ts',
  target: 'es2024',
  sourcemap: false,
  typescript: { onlyRemoveTypeImports: true },
  decorator: { legacy: true, emitDecoratorMetadata: true },
};

const changedAt = (path) =>
  stat(path).then(
    ({ mtime }) => mtime,
    () => new Date(0),
  );

/** What was made carries the time of its source: a source that is older than before is another one, too. */
async function compile(source) {
  const target = source.replace(`${sep}src${sep}`, `${sep}dist${sep}`).replace(/\.ts$/, '.js');
  const time = await changedAt(source);
  if ((await changedAt(target)).getTime() === time.getTime()) return false;
  const { code } = await transformWithOxc(await readFile(source, 'utf8'), source, options);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
  await utimes(target, time, time);
  return true;
}

const started = performance.now();
const made = [];
for await (const path of glob('{apps,labs,libs,libs/packs}/*/src/**/*.ts', { cwd: root }))
  if (!path.endsWith('.spec.ts')) made.push(compile(join(root, path)));
const count = (await Promise.all(made)).filter(Boolean).length;
if (count > 0)
  process.stderr.write(`compiled ${count} files in ${((performance.now() - started) / 1_000).toFixed(1)} s\n`);
