import type { z } from 'zod';

/** Stands where a text of a sealed job was. */
export const SEALED_TEXT = '[sealed]';

/** Stands where the SHA-256 of content was: whoever guesses the content could confirm it by its hash. */
export const SEALED_HASH = '0'.repeat(64);

/** Takes the content out of a value of one shape. */
export type Redactor = (value: unknown) => unknown;

/** What of a shape's texts stays, by the name of the member that holds them. */
export interface Kept {
  /** Texts that stay where they look like an identifier. */
  readonly identifiers: ReadonlyMap<string, RegExp>;
  /** Members that stay whole, whatever is in them. */
  readonly whole: ReadonlySet<string>;
}

/** What zod says of a schema; only the part that is looked at. */
interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly format?: string;
}

const plain = new Set(['number', 'boolean', 'enum', 'literal', 'null', 'int', 'bigint', 'undefined']);
const wrappers = new Set(['optional', 'nullable', 'default', 'prefault', 'readonly', 'nonoptional', 'catch']);
/** Texts of these formats hold nothing that anybody could have written into them. */
const harmless = new Set(['uuid', 'datetime']);

/**
 * The redactor of a schema. Numbers, truth values, enumerations, uuids and times stay; every other text goes, unless `kept`
 * names it; so a member that is added to an event one day is sealed until somebody says that it may be seen. Maps become
 * empty, since their keys are content as well. What comes out fits the schema. Throws for a schema that has a text for which
 * no placeholder fits.
 */
export function redactorOf(schema: z.ZodType, kept: Kept, name = ''): Redactor {
  const def = schema.def as unknown as Def;
  if (kept.whole.has(name) || plain.has(def.type)) return same;
  if (wrappers.has(def.type)) return passing(redactorOf(def.innerType!, kept, name));
  switch (def.type) {
    case 'pipe':
      return redactorOf(def.in!, kept, name);
    case 'string':
      return textRedactor(schema, kept.identifiers.get(name));
    case 'array': {
      const item = redactorOf(def.element!, kept, name);
      return (value) => (value as readonly unknown[]).map(item);
    }
    case 'object':
      return objectRedactor(def.shape!, kept);
    case 'union': {
      const options = def.options!.map((option) => [option, redactorOf(option, kept, name)] as const);
      return (value) => options.find(([option]) => option.safeParse(value).success)?.[1](value);
    }
    case 'record':
    case 'custom':
      return () => ({});
    default:
      throw new Error(`${name}: it is not known how to take content out of a ${def.type}`);
  }
}

const same: Redactor = (value) => value;

function passing(inner: Redactor): Redactor {
  return (value) => (value === undefined || value === null ? value : inner(value));
}

function objectRedactor(shape: Readonly<Record<string, z.ZodType>>, kept: Kept): Redactor {
  const members = Object.entries(shape).map(([name, member]) => [name, redactorOf(member, kept, name)] as const);
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>;
    const result: Record<string, unknown> = {};
    for (const [name, redact] of members) if (given[name] !== undefined) result[name] = redact(given[name]);
    return result;
  };
}

function textRedactor(schema: z.ZodType, identifier: RegExp | undefined): Redactor {
  if (harmless.has((schema.def as unknown as Def).format ?? '')) return same;
  const placeholder = [SEALED_TEXT, SEALED_HASH].find((text) => schema.safeParse(text).success);
  if (placeholder === undefined && !identifier) throw new Error('no placeholder fits a text of this schema');
  return (value) => (identifier?.test(value as string) ? value : (placeholder ?? value));
}
