import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/reference/api-security.md', root), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| API'));

it('docs/reference/api-security.md lists the ten risks in order', () => {
  expect(rows.map((row) => /^\| (API\d+) /.exec(row)?.[1])).toEqual(
    Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
  );
});

it.each(rows.map((row) => [/API\d+/.exec(row)![0], row] as const))(
  'each test that it names for %s exists',
  (_, row) => {
    const tests = [...row.matchAll(/`([^`]+\.spec\.ts)`: "([^"]+)"/g)];
    expect(tests.length).toBeGreaterThan(0);
    // Each file stands before the name of one test.
    expect(row.match(/\.spec\.ts/g)).toHaveLength(tests.length);
    for (const [, file, name] of tests) {
      const source = readFileSync(new URL(file!, root), 'utf8');
      expect([file, source.includes(`'${name!}'`) || source.includes(`"${name!}"`)]).toEqual([file, name && true]);
    }
  },
);
