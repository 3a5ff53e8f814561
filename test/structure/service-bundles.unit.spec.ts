import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

// Needs bundles: `npm run compile`.
const root = join(import.meta.dirname, '../..');
const services = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
/** Maximum number of files that a start loads. Without bundles it is about 3,000, and a start takes twice the processor time. */
const MAX_FILES = 50;
/** Maximum size of all bundled files that a start loads, in bytes: V8 keeps their text, and takes as much memory again for what they define. */
const MAX_LOADED_BYTES: Readonly<Record<string, number>> = {
  orchestrator: 10_500_000,
  'strategic-worker': 8_000_000,
  'tactical-worker': 8_000_000,
  'tool-runner': 8_500_000,
};
/** Maximum size of one of these files, in bytes: the memory that V8 takes to parse a file is not all given back. */
const MAX_FILE_BYTES = 2_000_000;

/** Runs a program without settings. Returns its output, the loaded files relative to the root, and the modules of Node that were loaded. */
function run(program: string): { readonly output: string; readonly files: string[]; readonly nodeModules: string[] } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', join(import.meta.dirname, 'print-files.fixture.mjs'), program],
    { cwd: root, env: { PATH: process.env['PATH'], PHASELINE_ENV_FILE: 'none' }, encoding: 'utf8' },
  );
  const files = [...stdout.matchAll(/^loads (.+)$/gmu)].map(([, file = '']) => relative(root, file));
  const nodeModules = [...stdout.matchAll(/^has loaded (.+)$/gmu)].map(([, name = '']) => name);
  return { output: stderr, files, nodeModules };
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

it.each(services)('%s loads little source text', (service) => {
  const { files } = run(join(root, 'dist/services', `${service}.js`));
  const bundled = [...new Set(files)].filter((file) => file.startsWith('dist/services/'));
  const sizes = bundled.map((file) => statSync(join(root, file)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_LOADED_BYTES[service]!);
  expect(Math.max(...sizes)).toBeLessThan(MAX_FILE_BYTES);
  // One character outside Latin-1 would double the memory of its file.
  expect(bundled.filter((file) => /[^\0-\x7f]/u.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});

it.each(services)("%s does not load Node's client for fetch", (service) => {
  const { nodeModules } = run(join(root, 'dist/services', `${service}.js`));
  expect(nodeModules).toContain('http');
  expect(nodeModules.filter((name) => name.includes('undici'))).toEqual([]);
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
