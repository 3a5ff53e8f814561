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
  /** A shape that contains itself is named, as `#/$defs/<name>`. */
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/**
 * Generates a value of the shape, deterministically. `variant` selects among alternatives; with `least`, only required
 * members are included.
 */
export function generateExample(
  shape: JsonSchema,
  variant: number,
  requiredOnly: boolean,
  defs: Definitions = shape.$defs ?? {},
): unknown {
  // The first alternative of a shape that contains itself ends the recursion.
  if (shape.$ref !== undefined)
    return generateExample(resolveRef(shape.$ref, defs), requiredOnly ? 0 : variant % 4, requiredOnly, defs);
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return generateExample(choices[variant % choices.length]!, variant, requiredOnly, defs);
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
      return requiredOnly && variant > 0 ? [] : [generateExample(shape.items ?? {}, variant, requiredOnly, defs)];
    default:
      return objectOf(shape, variant, requiredOnly, defs);
  }
}

type Definitions = Readonly<Record<string, JsonSchema>>;

function resolveRef(ref: string, defs: Definitions): JsonSchema {
  return defs[ref.replace('#/$defs/', '')]!;
}

/** Number of variants needed to cover every alternative once. */
export function countVariants(shape: JsonSchema): number {
  const choices = shape.anyOf ?? shape.oneOf ?? [];
  const members = [
    ...choices,
    ...Object.values(shape.properties ?? {}),
    ...(shape.items ? [shape.items] : []),
    ...(typeof shape.additionalProperties === 'object' ? [shape.additionalProperties] : []),
  ];
  return Math.max(1, choices.length, shape.enum?.length ?? 0, ...members.map(countVariants));
}

function objectOf(
  shape: JsonSchema,
  variant: number,
  requiredOnly: boolean,
  defs: Definitions,
): Record<string, unknown> {
  const required = new Set(shape.required);
  const members = Object.entries(shape.properties ?? {})
    .filter(([name]) => !requiredOnly || required.has(name))
    .map(([name, member]): [string, unknown] => [name, generateExample(member, variant, requiredOnly, defs)]);
  if (typeof shape.additionalProperties === 'object' && !requiredOnly) {
    const key = shape.propertyNames ? String(generateExample(shape.propertyNames, variant, requiredOnly, defs)) : 'key';
    members.push([key, generateExample(shape.additionalProperties, variant, requiredOnly, defs)]);
  }
  // An object of any shape comes from a model and may contain anything.
  if (!shape.properties && shape.additionalProperties === undefined && !requiredOnly)
    members.push(['any', ['thing', 1, null, { nested: true }]]);
  return Object.fromEntries(members);
}

function textOf({ format, pattern, minLength = 0 }: JsonSchema, variant: number): string {
  if (format === 'uuid') return '018f3a52-7c1e-7000-8000-000000000001';
  if (format === 'date-time') return '2026-01-02T03:04:05.678Z';
  if (pattern === '^[0-9a-f]{64}$') return 'ab'.repeat(32);
  if (pattern?.startsWith('^(?:\\/')) return `/member-${variant + 1}`;
  if (pattern !== undefined) return `name-${variant + 1}`;
  return minLength > 0 || variant % 2 === 0 ? `text ${variant + 1} – "ü" 🙂\n` : '';
}
