import type { JsonObject } from '@phaseline/basics';
import { z } from 'zod';

/**
 * Returns the JSON Schema of a tool's input for the model. Omits the bounds that zod adds to every integer: they say nothing about
 * the tool, cost tokens in each request, and some model servers reject numbers of that size.
 */
export function buildInputSchema(input: z.ZodType): JsonObject {
  const { $schema: _draft, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return schema as JsonObject;
}
