import type { z } from 'zod';

/** The part of a zod schema definition that is used here. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly getter?: () => z.ZodType;
  readonly options?: readonly z.ZodType[];
}

function definitionOf(schema: z.ZodType): Definition {
  // zod types the definition per kind of schema; the kinds read here have these members.
  return schema.def as unknown as Definition;
}

/** Removes wrappers such as defaults, optionals and pipes. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType, getter, type, in: input } = definitionOf(schema);
  const inner = innerType ?? (type === 'pipe' ? input : undefined) ?? (type === 'lazy' ? getter?.() : undefined);
  return inner ? unwrap(inner) : schema;
}

/** Finds the schema for the value at a path; `undefined` if it depends on the value. */
export function findSchema(schema: z.ZodType | undefined, path: readonly PropertyKey[]): z.ZodType | undefined {
  let current = schema && unwrap(schema);
  for (const key of path) {
    if (!current) return undefined;
    const { shape, element, valueType } = definitionOf(current);
    const next: z.ZodType | undefined = shape ? shape[String(key)] : (element ?? valueType);
    current = next && unwrap(next);
  }
  return current;
}

/** Keys of a mapping with a fixed set of keys. */
export function listKeys(schema: z.ZodType | undefined): readonly string[] {
  const shape = schema && definitionOf(schema).shape;
  return shape ? Object.keys(shape) : [];
}

/** Alternatives of a union. */
export function listAlternatives(schema: z.ZodType | undefined): readonly z.ZodType[] {
  return (schema && definitionOf(schema).options) ?? [];
}
