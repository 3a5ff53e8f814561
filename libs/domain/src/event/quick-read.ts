import type { z } from 'zod';

/** Returned for a value that only the schema itself can judge: it is invalid, or has a shape that is too unusual to be read quickly. */
export const UNDECIDED = Symbol('undecided');

/** Returns what the schema parses the value to, or UNDECIDED. */
type QuickRead = (value: unknown) => unknown;

/**
 * Creates a reader for the values of a schema. For a valid value, it returns what the schema would parse it to, with its members in the same
 * order, and faster: a value that already has this form is returned and not copied. It never decides that a value is invalid, so
 * the schema alone defines what is valid and how a problem is described.
 */
export function createQuickRead(schema: z.ZodType): QuickRead {
  // The classes of zod declare what each kind of schema contains; `z.ZodType` is not a union of them.
  const known = schema as unknown as KnownSchema;
  switch (known.type) {
    case 'string':
      return readPrimitive('string', listChecks(known));
    case 'number':
      return readPrimitive('number', listChecks(known));
    case 'boolean':
      return hasChecks(known) ? readAny(schema) : (value) => (typeof value === 'boolean' ? value : UNDECIDED);
    case 'enum':
    case 'literal':
      return hasChecks(known) ? readAny(schema) : readOneOf(known._zod.values);
    case 'custom':
      return hasChecks(known) ? readAny(schema) : (value) => (known.def.fn(value) === true ? value : UNDECIDED);
    case 'nullable':
      return hasChecks(known) ? readAny(schema) : readNullable(createQuickRead(known.def.innerType));
    case 'array':
      return hasChecks(known) ? readAny(schema) : readArray(createQuickRead(known.def.element));
    case 'object':
      return hasChecks(known) || known.def.catchall ? readAny(schema) : readObject(known);
    case 'union':
      return hasChecks(known) || !('discriminator' in known.def) ? readAny(schema) : readDiscriminated(known.def);
    default:
      return readAny(schema);
  }
}

type KnownSchema =
  | z.ZodString
  | z.ZodNumber
  | z.ZodBoolean
  | z.ZodEnum
  | z.ZodLiteral
  | (z.ZodCustom & { readonly def: { readonly fn: (value: unknown) => unknown } })
  | z.ZodNullable<z.ZodType>
  | z.ZodArray<z.ZodType>
  | z.ZodObject
  | z.ZodDiscriminatedUnion<z.ZodObject[]>
  | z.ZodUnion;

type Check = z.core.$ZodCheck;

/** The checks of a string or a number. A schema such as `z.iso.datetime()` is a check itself. */
function listChecks(schema: z.ZodString | z.ZodNumber): readonly Check[] {
  const { traits } = schema._zod;
  // Schemas with this trait have the members of a check.
  const own = traits.has('$ZodCheck') ? [schema as unknown as Check] : [];
  return [...own, ...(schema.def.checks ?? [])];
}

function hasChecks({ def }: KnownSchema): boolean {
  return (def.checks ?? []).length > 0;
}

function readAny(schema: z.ZodType): QuickRead {
  return (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : UNDECIDED;
  };
}

function readPrimitive(type: 'string' | 'number', checks: readonly Check[]): QuickRead {
  // A check declares the type of its values, which was checked before it.
  const payload: z.core.ParsePayload<never> = { value: undefined as never, issues: [] };
  return (value) => {
    if (typeof value !== type || (type === 'number' && !Number.isFinite(value))) return UNDECIDED;
    for (const check of checks) {
      payload.value = value as never;
      void check._zod.check(payload);
      if (payload.issues.length > 0) {
        payload.issues = [];
        return UNDECIDED;
      }
      if (payload.value !== value) return UNDECIDED;
    }
    return value;
  };
}

function readOneOf(values: ReadonlySet<unknown>): QuickRead {
  return (value) => (values.has(value) ? value : UNDECIDED);
}

function readNullable(read: QuickRead): QuickRead {
  return (value) => (value === null ? null : read(value));
}

function readArray(read: QuickRead): QuickRead {
  return (value) => {
    if (!Array.isArray(value)) return UNDECIDED;
    let isCopied = false;
    const items = value.map((item: unknown) => {
      const result = read(item);
      isCopied ||= result !== item;
      return result;
    });
    if (!isCopied) return value;
    return items.includes(UNDECIDED) ? UNDECIDED : items;
  };
}

function readDiscriminated({ discriminator, options }: z.ZodDiscriminatedUnion<z.ZodObject[]>['def']): QuickRead {
  const reads = new Map<unknown, QuickRead>();
  for (const option of options) {
    const read = createQuickRead(option as z.ZodType);
    // A value that two options have is left to the schema.
    for (const value of (option as z.ZodObject)._zod.propValues?.[discriminator] ?? [])
      reads.set(value, reads.has(value) ? readNothing : read);
  }
  return (value) => {
    if (typeof value !== 'object' || value === null) return UNDECIDED;
    const read = reads.get((value as Record<string, unknown>)[discriminator]);
    return read ? read(value) : UNDECIDED;
  };
}

const readNothing: QuickRead = () => UNDECIDED;

interface Member {
  readonly key: string;
  readonly isRequired: boolean;
  readonly read: QuickRead;
}

function readObject(schema: z.ZodObject): QuickRead {
  /** Created with the first value, because a shape may contain itself. */
  let members: readonly Member[] | undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNDECIDED;
    members ??= listMembers(schema);
    const object = value as Record<string, unknown>;
    return isReadAsItIs(object, members) ? object : copyMembers(object, members);
  };
}

function listMembers({ shape }: z.ZodObject): readonly Member[] {
  return Object.entries(shape).map(([key, schema]) => {
    const isOptional = schema.type === 'optional';
    const inner = isOptional ? (schema as z.ZodOptional<z.ZodType>).def.innerType : (schema as z.ZodType);
    return { key, isRequired: !isOptional, read: createQuickRead(inner) };
  });
}

/** Whether the object contains only valid members of the schema, in its order. Nearly all events are written like this. */
function isReadAsItIs(object: Record<string, unknown>, members: readonly Member[]): boolean {
  let index = 0;
  for (const key in object) {
    let member = members[index];
    while (member && member.key !== key) {
      if (member.isRequired) return false;
      index += 1;
      member = members[index];
    }
    if (!member) return false;
    const item = object[key];
    if (member.read(item) !== item) return false;
    index += 1;
  }
  for (; index < members.length; index += 1) if (members[index]!.isRequired) return false;
  return true;
}

/** Copies the members of the schema in its order, without others. */
function copyMembers(object: Record<string, unknown>, members: readonly Member[]): unknown {
  const copy: Record<string, unknown> = {};
  for (const { key, isRequired, read } of members) {
    if (!Object.hasOwn(object, key)) {
      if (isRequired || key in object) return UNDECIDED;
      continue;
    }
    const item = read(object[key]);
    if (item === UNDECIDED) return UNDECIDED;
    copy[key] = item;
  }
  return copy;
}
