import { readFile } from 'node:fs/promises';
import { checkMeanings, checksSchema, matcherSchema } from '@phaseline/checks';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { renderMembers, replaceGenerated, type Shape } from './member-rows.js';

const PAGE = '../../docs/reference/checks.md';

/** The kinds of checks, as the members of one object of which a check has exactly one. */
function readKinds(): Shape {
  const { $defs } = z.toJSONSchema(checksSchema, { io: 'input' }) as Shape;
  const [check] = Object.values($defs ?? {});
  const kinds = (check?.anyOf ?? []).flatMap(({ properties }) => Object.entries(properties ?? {}));
  return { properties: Object.fromEntries(kinds) };
}

/** The operators of a matcher. */
function readOperators(): Shape {
  const { anyOf } = z.toJSONSchema(matcherSchema, { io: 'input' }) as Shape;
  return anyOf!.find(({ properties }) => properties)!;
}

/** Adds the meaning of members that describe nothing themselves. */
function addMeanings({ properties, ...shape }: Shape, prefix = ''): Shape {
  if (!properties) return shape;
  const meanings: Readonly<Record<string, string | undefined>> = checkMeanings;
  const described = Object.entries(properties).map(([name, member]) => {
    const description = member.description ?? meanings[`${prefix}${name}`];
    return [name, addMeanings({ ...member, ...(description ? { description } : {}) }, `${prefix}${name}.`)];
  });
  return { ...shape, properties: Object.fromEntries(described) as Record<string, Shape> };
}

it('the page of checks contains every kind, member and operator, with its description', async () => {
  const kinds = readKinds();
  const tables = [renderMembers(addMeanings(kinds)), renderMembers(readOperators())];
  expect(tables.flat().filter((row) => row.endsWith('|  |'))).toEqual([]);
  const generated = ['### Kinds and their members', '', ...tables[0]!, '', '### Operators', '', ...tables[1]!].join(
    '\n',
  );
  const text = await readFile(new URL(PAGE, import.meta.url), 'utf8');
  await expect(replaceGenerated(text, generated)).toMatchFileSnapshot(PAGE);
});

it('the examples of the pages of checks are valid checks', async () => {
  const read = (page: string): Promise<string> => readFile(new URL(page, import.meta.url), 'utf8');
  const [, example] = /^```yaml\n([^]*?)^```$/m.exec(await read(PAGE)) ?? [];
  const rows = [...(await read('../../docs/how-to/checks.md')).matchAll(/^\| .* \| `([^`]+: [^`]+)`/gm)];
  expect(rows.length).toBeGreaterThan(3);
  const examples: readonly unknown[] = [load(example!), ...rows.map(([, check]) => [load(check!)])];
  for (const one of examples) expect(checksSchema.safeParse(one).error?.issues ?? []).toEqual([]);
});
