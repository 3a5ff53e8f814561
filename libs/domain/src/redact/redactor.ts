import type { z } from 'zod';

/** Placeholder for a text of an encrypted job. */
export const REDACTED_TEXT = '[redacted]';

/** Placeholder for a SHA-256 of content. The real hash would allow a reader to confirm a guess of the content. */
export const REDACTED_HASH = '0'.repeat(64);

/** Removes the content from a value of one shape. */
export type Redactor = (value: unknown) => unknown;

/** Which texts of a shape stay visible, by the name of their member. */
export interface VisibleMembers {
  /** Members whose texts stay visible if they match the pattern of an identifier. */
  readonly identifiers: ReadonlyMap<string, RegExp>;
  /** Members that stay visible with everything in them. */
  readonly whole: ReadonlySet<string>;
}

/** The part of a zod schema definition that is used here. */
interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly format?: string;
}

// zod types the definition per class; this code reads it for every class of schema.
const getDef = (schema: z.ZodType): Def => schema.def as unknown as Def;

const contentFreeTypes = new Set(['number', 'boolean', 'enum', 'literal', 'null', 'int', 'bigint', 'undefined']);
const wrapperTypes = new Set(['optional', 'nullable', 'default', 'prefault', 'readonly', 'nonoptional', 'catch']);
/** Text formats that cannot contain free text. */
const harmlessFormats = new Set(['uuid', 'datetime']);

/**
 * Creates the redactor of a schema. Numbers, booleans, enumerations, UUIDs and times stay visible. All other texts are
 * replaced unless `kept` names them, so a member that is added to an event later is redacted by default. Maps become empty,
 * because their keys are content too. The result matches the schema. Throws for a schema with a text that no placeholder
 * matches.
 */
export function createRedactor(schema: z.ZodType, kept: VisibleMembers, name = ''): Redactor {
  const def = getDef(schema);
  if (kept.whole.has(name) || contentFreeTypes.has(def.type)) return keepValue;
  if (wrapperTypes.has(def.type)) return skipAbsent(createRedactor(def.innerType!, kept, name));
  switch (def.type) {
    case 'pipe':
      return createRedactor(def.in!, kept, name);
    case 'string':
      return textRedactor(schema, kept.identifiers.get(name));
    case 'array': {
      const item = createRedactor(def.element!, kept, name);
      return (value) => (value as readonly unknown[]).map(item);
    }
    case 'object':
      return objectRedactor(def.shape!, kept);
    case 'union': {
      const options = def.options!.map((option) => [option, createRedactor(option, kept, name)] as const);
      return (value) => options.find(([option]) => option.safeParse(value).success)?.[1](value);
    }
    case 'record':
    case 'custom':
      return () => ({});
    default:
      throw new Error(`${name}: cannot redact a value of type ${def.type}`);
  }
}

const keepValue: Redactor = (value) => value;

function skipAbsent(inner: Redactor): Redactor {
  return (value) => (value === undefined || value === null ? value : inner(value));
}

function objectRedactor(shape: Readonly<Record<string, z.ZodType>>, kept: VisibleMembers): Redactor {
  const members = Object.entries(shape).map(([name, member]) => [name, createRedactor(member, kept, name)] as const);
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    for (const [name, redact] of members) if (given[name] !== undefined) result[name] = redact(given[name]);
    return result;
  };
}

function textRedactor(schema: z.ZodType, identifier: RegExp | undefined): Redactor {
  if (harmlessFormats.has(getDef(schema).format ?? '')) return keepValue;
  const placeholder = [REDACTED_TEXT, REDACTED_HASH].find((text) => schema.safeParse(text).success);
  if (placeholder === undefined && !identifier) throw new Error('no placeholder fits a text of this schema');
  return (value) => (identifier?.test(value as string) ? value : (placeholder ?? value));
}
