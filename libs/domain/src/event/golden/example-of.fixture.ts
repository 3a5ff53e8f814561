/** The part of JSON Schema that the schemas of events use. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
}

/**
 * A value of the shape, the same one every time. `variant` says which way to go where there is a choice; with `least`
 * only what is required is there.
 */
export function exampleOf(shape: JsonSchema, variant: number, least: boolean): unknown {
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return exampleOf(choices[variant % choices.length]!, variant, least);
  if (shape.const !== undefined) return shape.const;
  if (shape.enum) return shape.enum[variant % shape.enum.length];
  switch (shape.type) {
    case 'string':
      return textOf(shape, variant);
    case 'integer':
      return Math.max(shape.minimum ?? 0, 0) + variant;
    case 'number':
      return 0.5;
    case 'boolean':
      return variant % 2 === 0;
    case 'null':
      return null;
    case 'array':
      return least && variant > 0 ? [] : [exampleOf(shape.items ?? {}, variant, least)];
    default:
      return objectOf(shape, variant, least);
  }
}

/** How many variants it takes to go every way once. */
export function variantsOf(shape: JsonSchema): number {
  const choices = shape.anyOf ?? shape.oneOf ?? [];
  const members = [
    ...choices,
    ...Object.values(shape.properties ?? {}),
    ...(shape.items ? [shape.items] : []),
    ...(typeof shape.additionalProperties === 'object' ? [shape.additionalProperties] : []),
  ];
  return Math.max(1, choices.length, shape.enum?.length ?? 0, ...members.map(variantsOf));
}

function objectOf(shape: JsonSchema, variant: number, least: boolean): Record<string, unknown> {
  const required = new Set(shape.required);
  const members = Object.entries(shape.properties ?? {})
    .filter(([name]) => !least || required.has(name))
    .map(([name, member]): [string, unknown] => [name, exampleOf(member, variant, least)]);
  if (typeof shape.additionalProperties === 'object' && !least) {
    const key = shape.propertyNames ? String(exampleOf(shape.propertyNames, variant, least)) : 'key';
    members.push([key, exampleOf(shape.additionalProperties, variant, least)]);
  }
  // An object of any shape is what a model made up; it may hold anything.
  if (!shape.properties && shape.additionalProperties === undefined && !least)
    members.push(['any', ['thing', 1, null, { nested: true }]]);
  return Object.fromEntries(members);
}

function textOf({ format, pattern, minLength = 0 }: JsonSchema, variant: number): string {
  if (format === 'uuid') return '018f3a52-7c1e-7000-8000-000000000001';
  if (format === 'date-time') return '2026-01-02T03:04:05.678Z';
  if (pattern === '^[0-9a-f]{64}$') return 'ab'.repeat(32);
  if (pattern !== undefined) return `name-${variant + 1}`;
  return minLength > 0 || variant % 2 === 0 ? `text ${variant + 1} – "ü" 🙂\n` : '';
}
