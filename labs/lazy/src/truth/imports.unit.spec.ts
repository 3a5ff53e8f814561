import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the ground truth imports Node and itself only', () => {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((path) => !path.endsWith('.spec.ts'));
  expect(files.length).toBeGreaterThan(4);
  const imported = files.flatMap((path) =>
    [...readFileSync(join(import.meta.dirname, path), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(
      ([, name]) => name!,
    ),
  );
  expect(imported.filter((name) => !/^(?:node:|\.\/[\w-]+\.js$)/.test(name))).toEqual([]);
});
