import type { z } from 'zod';

/** The inner workings of a schema, as far as they are looked at here. */
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
  return schema.def as unknown as Definition;
}

/** Without what only wraps it: defaults, optional, pipes and the like. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType, getter, type, in: input } = definitionOf(schema);
  const inner = innerType ?? (type === 'pipe' ? input : undefined) ?? (type === 'lazy' ? getter?.() : undefined);
  return inner ? unwrap(inner) : schema;
}

/** The schema that a value at this path has to satisfy; undefined where that depends on the value. */
export function schemaAt(schema: z.ZodType | undefined, path: readonly PropertyKey[]): z.ZodType | undefined {
  let current = schema && unwrap(schema);
  for (const key of path) {
    if (!current) return undefined;
    const { shape, element, valueType } = definitionOf(current);
    const next: z.ZodType | undefined = shape ? shape[String(key)] : (element ?? valueType);
    current = next && unwrap(next);
  }
  return current;
}

/** The keys of a mapping that has a fixed set of them. */
export function knownKeys(schema: z.ZodType | undefined): readonly string[] {
  const shape = schema && definitionOf(schema).shape;
  return shape ? Object.keys(shape) : [];
}

/** The alternatives of a union. */
export function alternatives(schema: z.ZodType | undefined): readonly z.ZodType[] {
  return (schema && definitionOf(schema).options) ?? [];
}
