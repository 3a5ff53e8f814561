import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** Sources of the entry of each library, by its name. */
const entries = new Map(
  globSync('libs/{*,packs/*}/package.json', { cwd: root }).flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      name: string;
      exports?: Record<string, Record<string, string>>;
    };
    return Object.entries(manifest.exports ?? {}).map(([name, { '@phaseline/source': source = '' }]) => [
      join(manifest.name, name),
      join(root, dirname(path), source),
    ]);
  }),
);

/** An import or a re-export that is executed when its module is loaded. */
const STATIC_IMPORT = /^(?:import|export)\b(?! type\b)(?:[^'";]*? from)? '([^']+)'/gmu;

/** Follows the imports of a program, and returns the packages of others and the number of our modules that its start loads. */
function listLoaded(program: string): { packages: string[]; modules: number } {
  const packages = new Set<string>();
  const modules = new Set<string>();
  const visit = (file: string): void => {
    if (modules.has(file)) return;
    modules.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      if (name.startsWith('.')) {
        if (name.endsWith('.js')) visit(join(dirname(file), name.replace(/\.js$/, '.ts')));
      } else if (name.startsWith('@phaseline/')) visit(entries.get(name)!);
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  visit(join(root, program));
  return { packages: [...packages].sort(), modules: modules.size };
}

// A package in these lists costs memory and time in every start, also while its feature is not used. Load it with `import()` where that is possible.
it.each(['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'])(
  'a start of %s loads only the packages that every start needs',
  (service) => {
    const { packages, modules } = listLoaded(`apps/${service}/src/main.ts`);
    expect(packages).toMatchSnapshot();
    // All imports were followed.
    expect(modules).toBeGreaterThan(500);
  },
);
