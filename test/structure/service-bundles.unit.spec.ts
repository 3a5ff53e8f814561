import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

// Needs bundles: `npm run compile`.
const root = join(import.meta.dirname, '../..');
const services = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
/** Maximum number of files that a start loads. Without bundles it is about 3,000, and a start takes twice the processor time. */
const MAX_FILES = 50;

/** Runs a program without settings. Returns its output, and the loaded files relative to the root. */
function run(program: string): { readonly output: string; readonly files: string[] } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', join(import.meta.dirname, 'print-files.fixture.mjs'), program],
    { cwd: root, env: { PATH: process.env['PATH'], PHASELINE_ENV_FILE: 'none' }, encoding: 'utf8' },
  );
  const files = [...stdout.matchAll(/^loads (.+)$/gmu)].map(([, file = '']) => relative(root, file));
  return { output: stderr, files };
}

it.each(services)('%s starts from a few files', (service) => {
  const { output, files } = run(join(root, 'dist/services', `${service}.js`));
  // All modules were found and executed; only the settings are missing.
  expect(output).toContain('DATABASE_URL');
  expect(files.filter((file) => file.startsWith('dist/services/')).length).toBeGreaterThan(5);
  expect(files.length).toBeLessThan(MAX_FILES);
  // Everything of ours is in the bundle. A module that is loaded from both places exists twice.
  expect(files.filter((file) => /^(?:apps|libs)\//u.test(file))).toEqual([]);
});

it('everything that a service imports later can be loaded', () => {
  const parts = readdirSync(join(root, 'dist/services')).filter(
    (name) => name.endsWith('.js') && !services.includes(name.replace('.js', '')),
  );
  const imports = parts.map((name) => `await import('./dist/services/${name}');`).join('\n');
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', imports], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(parts.length).toBeGreaterThan(20);
});
