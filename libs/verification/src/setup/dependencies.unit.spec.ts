import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VerifierBench } from '../run/verifier-bench.fixture.js';

/** A set-up that installs a program which says what it was installed from. It counts nothing that could differ between runs. */
const install = `
const lock = fs.readFileSync('lock.json', 'utf8');
fs.mkdirSync('node_modules/.bin', { recursive: true });
fs.writeFileSync('node_modules/.bin/runner', '#!/bin/sh\\necho installed from ' + lock + '; ls -A\\n', { mode: 0o755 });
fs.writeFileSync('node_modules/seen', fs.readdirSync('.').join(' '));
`;
const setup = { argv: ['node', '-e', install], cacheKey: ['**/lock.json'] };
const definition = { name: 'lint', argv: ['node_modules/.bin/runner'], setup, inputs: ['lock.json'] };
const files = { 'lock.json': 'one', 'src/a.js': 'a' };

describe('the set-up of a verifier', () => {
  it('runs once per content of its files, which are all that it sees', async () => {
    const bench = new VerifierBench();
    const first = await bench.run(definition, files);
    expect(first).toMatchObject({ outcome: 'passed', outputText: expect.stringContaining('installed from one') });
    const { dependencies } = await bench.list();
    expect(dependencies).toHaveLength(1);
    const seen = join(bench.root, 'dependencies', dependencies[0]!, 'node_modules/seen');
    expect(readFileSync(seen, 'utf8')).toBe('lock.json node_modules');
    expect(readdirSync(join(bench.root, 'dependencies', dependencies[0]!))).toEqual(['node_modules']);
    await bench.run(definition, files, { ...files, 'src/b.js': 'b' });
    expect((await bench.list()).dependencies).toEqual(dependencies);
    await bench.run(definition, { ...files, 'lock.json': 'two' });
    expect((await bench.list()).dependencies).toHaveLength(2);
  });

  it('reads the files of the beginning, and the claimed ones where there were none', async () => {
    const claimed = { ...files, 'lock.json': 'of the agent' };
    const { outputText, changedInputs } = await new VerifierBench().run(definition, files, claimed);
    expect(outputText).toContain('installed from one');
    expect(changedInputs).toEqual(['lock.json']);
    expect((await new VerifierBench().run(definition, {}, claimed)).outputText).toContain(
      'installed from of the agent',
    );
  });

  it('takes no dependency of the agent, not even in the place of an installed one', async () => {
    const fake = {
      'node_modules/.bin/runner': { text: '#!/bin/sh\necho faked\n', mode: 'executable' as const },
      'packages/a/node_modules/x.js': 'faked',
    };
    const { outputText } = await new VerifierBench().run(definition, files, { ...files, ...fake });
    expect(outputText).toContain('installed from one');
    expect(outputText).not.toMatch(/faked|packages/);
  });

  it('keeps what a run writes into the dependencies out of the cache', async () => {
    const bench = new VerifierBench();
    await bench.run(definition, files);
    const poison = {
      ...definition,
      argv: [
        'sh',
        '-c',
        'chmod -R u+w node_modules; echo "echo poisoned" > node_modules/.bin/runner; rm node_modules/seen',
      ],
    };
    expect((await bench.run(poison, files)).outcome).toBe('passed');
    expect((await bench.run(definition, files)).outputText).toContain('installed from one');
    const { dependencies } = await bench.list();
    expect(dependencies).toHaveLength(1);
    expect(readdirSync(join(bench.root, 'dependencies', dependencies[0]!, 'node_modules')).sort()).toEqual([
      '.bin',
      'seen',
    ]);
  });

  it('is run once for runs side by side', async () => {
    const bench = new VerifierBench();
    const counting = {
      ...definition,
      setup: {
        ...setup,
        argv: ['node', '-e', `${install} fs.writeFileSync('node_modules/token', String(Math.random()))`],
      },
      argv: ['cat', 'node_modules/token'],
    };
    const outputs = await Promise.all([1, 2, 3].map(() => bench.run(counting, files)));
    expect(new Set(outputs.map(({ outputText }) => outputText)).size).toBe(1);
  });

  it('leaves no cache when it fails, which is an error of the verifier and not of the files', async () => {
    const bench = new VerifierBench();
    const broken = {
      ...definition,
      setup: { ...setup, argv: ['sh', '-c', 'mkdir node_modules; echo no disk; exit 2'] },
    };
    expect(await bench.run(broken, files)).toMatchObject({
      outcome: 'error',
      reason: 'The set-up failed. The command ended with exit code 2.',
      outputText: expect.stringContaining('no disk'),
    });
    expect(await bench.list()).toEqual({ runs: [], dependencies: [] });
  });

  it('keeps the caches that were used last', async () => {
    const bench = new VerifierBench();
    for (let number = 0; number < 22; number += 1)
      await bench.run(
        { ...definition, argv: ['true'], setup: { ...setup, argv: ['true'] } },
        { 'lock.json': `${number}` },
      );
    expect((await bench.list()).dependencies).toHaveLength(20);
  });

  it('cannot be given a cache that a run made unreadable', async () => {
    const bench = new VerifierBench();
    await bench.run(definition, files);
    const [name] = (await bench.list()).dependencies;
    chmodSync(join(bench.root, 'dependencies', name!, 'node_modules/seen'), 0o000);
    expect((await bench.run(definition, files)).outcome).toBe('passed');
  });
});
