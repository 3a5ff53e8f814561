import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { canonicalGrammars } from './canonical-grammars.js';

const folder = join(import.meta.dirname, '../../../../../../agents/planner/patterns');

it('the grammars of the policy are those of the shipped planner', () => {
  const shipped = readdirSync(folder).map(
    (name) => load(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>,
  );
  expect(shipped).toHaveLength(5);
  const grammars = shipped.map(({ pattern, contains, level1, needs, ends, features }) => [
    pattern,
    { contains, level1, needs, ends, features },
  ]);
  expect(Object.fromEntries(grammars)).toEqual(canonicalGrammars);
});
