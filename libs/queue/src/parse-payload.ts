import type { z } from 'zod';
import { cleanJson, errorText } from './clean-text.js';

export type Parsed<Payload> = { readonly payload: Payload } | { readonly problem: string };

/** Reads a payload by the contract of its queue, on both sides. The problem names each field that is wrong and why. Never throws. */
export function parsePayload<Payload>(schema: z.ZodType<Payload>, data: unknown): Parsed<Payload> {
  try {
    const result = schema.safeParse(cleanJson(data));
    if (result.success) return { payload: result.data };
    return {
      problem: result.error.issues
        .map(({ path, message }) => `${path.map(String).join('.') || 'payload'}: ${message}`)
        .join('; '),
    };
  } catch (error) {
    return { problem: `the schema could not be applied: ${errorText(error)}` };
  }
}
