import { jsonValueSchema, type JsonObject, type JsonValue } from '@phaseline/basics';
import { z } from 'zod';

const pointerSchema = z
  .string()
  .max(500)
  .regex(/^(?:\/[^/]+)+$/, 'expected a JSON pointer such as /nodes/3/parent');

/** Operations of a fix: the part of JSON Patch (RFC 6902) that fixes need. A list is extended at `/list/-`. */
export const patchOperationSchema = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('add'), path: pointerSchema, value: jsonValueSchema }),
  z.strictObject({ op: z.literal('replace'), path: pointerSchema, value: jsonValueSchema }),
  z.strictObject({ op: z.literal('remove'), path: pointerSchema }),
]);
export type PatchOperation = z.infer<typeof patchOperationSchema>;

/** Builds a JSON pointer. Names of fields contain neither `/` nor `~`. */
export function buildPointer(...steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${step}`).join('');
}

/**
 * Applies operations in order and returns a new value; the given one stays as it is. Throws if a path does not exist, which means that the
 * operations were made for another artifact.
 */
export function applyPatch(document: JsonValue, operations: readonly PatchOperation[]): JsonValue {
  return operations.reduce(
    (value, operation) => change(value, operation.path.split('/').slice(1), operation),
    document,
  );
}

function change(value: JsonValue, steps: readonly string[], operation: PatchOperation): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) throw buildPathError(operation);
  if (Array.isArray(value)) return changeList(value as readonly JsonValue[], step, rest, operation);
  const object = value as JsonObject;
  const exists = Object.hasOwn(object, step);
  if (!exists && (rest.length > 0 || operation.op !== 'add')) throw buildPathError(operation);
  if (rest.length > 0) return { ...object, [step]: change(object[step]!, rest, operation) };
  if (operation.op !== 'remove') return { ...object, [step]: operation.value };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step));
}

function changeList(
  list: readonly JsonValue[],
  step: string,
  rest: readonly string[],
  operation: PatchOperation,
): readonly JsonValue[] {
  const isEnd = step === '-' && operation.op === 'add' && rest.length === 0;
  const index = isEnd ? list.length : /^\d+$/.test(step) ? Number(step) : -1;
  const last = operation.op === 'add' && rest.length === 0 ? list.length : list.length - 1;
  if (index < 0 || index > last) throw buildPathError(operation);
  if (rest.length > 0) return list.with(index, change(list[index]!, rest, operation));
  if (operation.op === 'add') return list.toSpliced(index, 0, operation.value);
  return operation.op === 'remove' ? list.toSpliced(index, 1) : list.with(index, operation.value);
}

function buildPathError({ op, path }: PatchOperation): Error {
  return new Error(`The fix does not belong to this artifact: it cannot ${op} ${path}.`);
}
