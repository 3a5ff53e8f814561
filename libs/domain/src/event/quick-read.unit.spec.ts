import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allDefinitions, readGoldenFile } from './golden/golden-files.fixture.js';
import { createQuickRead, UNDECIDED } from './quick-read.js';

/** The value, and copies of it that each differ in one place: a member is missing, unknown, of another type or in another place. */
function listVariants(value: unknown): readonly unknown[] {
  const others = [null, '', 'other', -1, 0.5, [], {}, true];
  if (typeof value !== 'object' || value === null) return [value, ...others];
  if (Array.isArray(value))
    return [value, ...others, ...value.flatMap((item, at) => listVariants(item).map((other) => value.with(at, other)))];
  const entries = Object.entries(value);
  return [
    value,
    ...others,
    { ...value, unknownMember: 1 },
    Object.fromEntries(entries.toReversed()),
    ...entries.map(([key]) => Object.fromEntries(entries.filter(([other]) => other !== key))),
    ...entries.flatMap(([key, member]) => listVariants(member).map((other) => ({ ...value, [key]: other }))),
  ];
}

describe.each(allDefinitions.map((definition) => [definition.type, definition] as const))(
  '%s',
  (type, { version, data }) => {
    const read = createQuickRead(data);
    const { examples } = readGoldenFile(type, version)!;

    it('is read to what its schema parses it to, and left to the schema if it is invalid', () => {
      for (const example of examples)
        for (const variant of listVariants(example)) {
          const quick = read(variant);
          if (quick === UNDECIDED) continue;
          const parsed = data.safeParse(variant);
          expect(parsed.error, JSON.stringify(variant)).toBeUndefined();
          // As texts, because their members must have the same order, too.
          expect(JSON.stringify(quick)).toBe(JSON.stringify(parsed.data));
        }
    });

    it('is not left to the schema if it is valid', () => {
      for (const example of examples) expect(read(data.parse(example))).not.toBe(UNDECIDED);
    });
  },
);

it('returns a value that already has the form of the schema without a copy', () => {
  const read = createQuickRead(z.object({ a: z.string(), b: z.object({ c: z.int().min(0) }).optional() }));
  const value = { a: 'text', b: { c: 1 } };
  expect(read(value)).toBe(value);
  expect(read({ a: 'text', b: { c: -1 } })).toBe(UNDECIDED);
});

it('reads a shape that contains itself', () => {
  const tree = z.object({
    name: z.string(),
    get inner() {
      return tree.optional();
    },
  });
  const read = createQuickRead(tree);
  expect(read({ inner: { name: 'b' }, name: 'a' })).toEqual({ name: 'a', inner: { name: 'b' } });
  expect(read({ name: 'a', inner: { name: 1 } })).toBe(UNDECIDED);
});

it('leaves values to the schema that it changes', () => {
  const read = createQuickRead(z.object({ a: z.string().trim(), b: z.string().default('b') }));
  expect(read({ a: ' a', b: 'b' })).toBe(UNDECIDED);
  expect(read({ a: 'a' })).toBe(UNDECIDED);
});
