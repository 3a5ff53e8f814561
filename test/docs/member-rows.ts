/** The part of a JSON Schema that the tables of the reference show. */
export interface Shape {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly $defs?: Readonly<Record<string, Shape>>;
}

/** Begin and end of the part of a page that is generated. */
const BEGIN = '<!-- generated: npx vitest run test/docs -u -->';
const END = '<!-- end of the generated section -->';

/** Replaces the generated part of a page. */
export function replaceGenerated(page: string, generated: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error('the page has no generated section');
  return `${before}${BEGIN}\n\n${generated}\n\n${END}${after}`;
}

/** The only definition of the reference that contains itself. */
const RECURSIVE = 'check';

/** Renders a table of the members of an object and of the objects in it, with their paths. */
export function renderMembers(shape: Shape): readonly string[] {
  return ['| member | type | required | meaning |', '|---|---|---|---|', ...listMembers(shape)];
}

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
  return `| \`${path}\` | ${describeType(member)} | ${isRequired ? 'yes' : ''} | ${text} |`;
}

/** Names the type of a member for people. */
function describeType({ $ref, type, enum: values, items, anyOf, const: fixed }: Shape): string {
  if ($ref !== undefined) return RECURSIVE;
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``;
  if (type === 'array') return `list of ${describeItems(items)}`;
  if (anyOf?.some(({ properties }) => properties)) return 'one of these';
  if (anyOf) return [...new Set(anyOf.map(describeType))].join(' or ');
  if (typeof type !== 'string') return type === undefined ? 'any' : 'value';
  return { string: 'text', integer: 'number', number: 'number', boolean: 'yes or no', object: 'object' }[type] ?? 'any';
}

function describeItems(items: Shape | undefined): string {
  if (items?.$ref !== undefined) return `${RECURSIVE}s`;
  if (items?.type === 'object') return 'objects';
  return Array.isArray(items?.type) ? 'values' : 'texts';
}
