import { z } from 'zod';
import { callCheckSchema, checksSchema, fileCheckSchema, readCheckSchema, runNameSchema, type Check } from './check.js';

/** A check that was parsed from a document that a model wrote, or what is wrong with it. */
export type ParsedCheck = { readonly check: Check } | { readonly problem: string };

const leafSchemas = {
  file: fileCheckSchema,
  call: callCheckSchema,
  read: readCheckSchema,
  verifier: runNameSchema,
  proof: runNameSchema,
  judge: runNameSchema,
};
const kinds = [...Object.keys(leafSchemas), 'all', 'any', 'not'];

/**
 * Reads a check from parsed YAML or JSON. The problem names the place and what is expected there, which a union of schemas could not say:
 * its problem is that no alternative fits.
 */
export function parseCheck(value: unknown, place: string): ParsedCheck {
  const problem = findProblem(value, place);
  if (problem !== undefined) return { problem };
  const read = checksSchema.safeParse([value]);
  if (read.success) return { check: read.data[0]! };
  return { problem: `${place}: ${read.error.issues[0]!.message}.` };
}

function findProblem(value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${place} must be a check such as 'file: { path: notes.md, minBytes: 100 }'.`;
  const [kind, ...others] = Object.keys(value);
  if (kind === undefined || others.length > 0 || !kinds.includes(kind))
    return `${place} must have exactly one of: ${kinds.join(', ')}.`;
  const inner = (value as Readonly<Record<string, unknown>>)[kind];
  const path = `${place}.${kind}`;
  if (kind === 'not') return findProblem(inner, path);
  if (kind === 'all' || kind === 'any') {
    if (!Array.isArray(inner) || inner.length === 0) return `${path} must be a list of checks.`;
    const problems = inner.map((one: unknown, index) => findProblem(one, `${path}[${index + 1}]`));
    return problems.find((one) => one !== undefined);
  }
  return findLeafProblem(leafSchemas[kind as keyof typeof leafSchemas], inner, path);
}

function findLeafProblem(schema: z.ZodType, value: unknown, place: string): string | undefined {
  const read = schema.safeParse(value);
  if (read.success) return undefined;
  const { path, message } = read.error.issues[0]!;
  return `${[place, ...path].join('.')}: ${message}.`;
}
