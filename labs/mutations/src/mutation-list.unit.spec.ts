import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyMutation, parseMutations } from './mutation-list.js';

const root = join(import.meta.dirname, '../../..');
const entry = (name: string): string =>
  `- { name: ${name}, file: a.ts, find: one, replace: two, specs: [a.spec.ts], why: because }\n`;

describe('the list of mutations', () => {
  it('contains only mutations whose text occurs exactly once and whose specs exist', async () => {
    const mutations = parseMutations(await readFile(join(import.meta.dirname, 'mutations.yaml'), 'utf8'));
    expect(mutations.length).toBeGreaterThan(0);
    for (const mutation of mutations) {
      const source = await readFile(join(root, mutation.file), 'utf8');
      expect(applyMutation(source, mutation), mutation.name).not.toBe(source);
      for (const spec of mutation.specs) expect(existsSync(join(root, spec)), `${mutation.name}: ${spec}`).toBe(true);
    }
  });

  it('rejects duplicate names, unknown keys and mutations that change nothing', () => {
    expect(parseMutations(entry('one'))).toHaveLength(1);
    expect(() => parseMutations(entry('one') + entry('one'))).toThrow('two mutations are named one');
    expect(() => parseMutations(entry('one').replace('why', 'because'))).toThrow();
    expect(() => parseMutations(entry('one').replace('two', 'one'))).toThrow('changes nothing');
  });
});

describe('mutate', () => {
  it('replaces text that occurs once, literally', () => {
    expect(applyMutation('if (a) b', { file: 'x', find: '(a)', replace: '($&)' })).toBe('if ($&) b');
  });

  it.each([
    ['no', 0],
    ['a a', 2],
  ])('rejects %j, in which the text occurs %i times', (source, count) => {
    expect(() => applyMutation(source, { file: 'x', find: 'a', replace: 'b' })).toThrow(`occurs ${count} times in x`);
  });
});
