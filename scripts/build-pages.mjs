// Builds the pages of the dashboard unless they are newer than all of their sources.
import { glob, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const sources = [
  'apps/dashboard/{index.html,vite.config.ts,package.json}',
  'apps/dashboard/src/**/*.{ts,tsx,css,svg}',
  'libs/{basics,client,contracts}/src/**/*.ts',
  'package-lock.json',
];

const getModifiedMs = (path) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** Builds what the orchestrator serves under `/`. Returns whether it had to. */
export async function buildPages() {
  const builtMs = await getModifiedMs(join(root, 'apps/dashboard/dist/pages/index.html'));
  let isCurrent = true;
  for await (const path of glob(sources, { cwd: root }))
    if (!path.includes('.spec.')) isCurrent &&= (await getModifiedMs(join(root, path))) <= builtMs;
  if (isCurrent) return false;
  await build({ configFile: join(root, 'apps/dashboard/vite.config.ts') });
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildPages();
