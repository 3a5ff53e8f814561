import { readFile } from 'node:fs/promises';
import { verifierDefinitionSchema } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { z } from 'zod';

const PAGE = '../../docs/reference/verifiers.md';
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';

interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
}

/** Lists the members of an object and of the objects in it, with their paths. */
function listMembers(shape: Shape, prefix = ''): readonly string[] {
  const required = new Set(shape.required);
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inner = member.items?.properties ? member.items : member;
    const rows = inner.anyOf?.some(({ properties }) => properties)
      ? inner.anyOf.flatMap((one) => listMembers(one, `${path}.`))
      : listMembers(inner, `${path}${member.items ? '[]' : ''}.`);
    return [renderRow(path, member, required.has(name)), ...rows];
  });
}

function renderRow(path: string, member: Shape, isRequired: boolean): string {
  const isLong = Array.isArray(member.default) || (typeof member.default === 'object' && member.default !== null);
  const standard = member.default === undefined || isLong ? '' : ` (default ${JSON.stringify(member.default)})`;
  const text = `${member.description ?? ''}${standard}`.replaceAll('|', '\\|');
  return `| \`${path}\` | ${typeOf(member)} | ${isRequired ? 'yes' : ''} | ${text} |`;
}

function typeOf({ type, enum: values, items, anyOf, const: fixed }: Shape): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``;
  if (type === 'array') return `list of ${items?.type === 'object' ? 'objects' : 'texts'}`;
  if (anyOf) return 'one of these';
  return (
    { string: 'text', integer: 'number', number: 'number', boolean: 'yes or no', object: 'object' }[type ?? ''] ?? 'any'
  );
}

it('the page of verifiers contains every member of a definition, with its description', async () => {
  const shape = z.toJSONSchema(verifierDefinitionSchema, { io: 'input' }) as Shape;
  const rows = listMembers(shape);
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([]);
  const text = await readFile(new URL(PAGE, import.meta.url), 'utf8');
  const [before, rest = ''] = text.split(BEGIN);
  const [, after] = rest.split(END);
  expect(after).toBeDefined();
  const table = ['| member | type | required | meaning |', '|---|---|---|---|', ...rows].join('\n');
  await expect(`${before}${BEGIN}\n\n${table}\n\n${END}${after}`).toMatchFileSnapshot(PAGE);
});
