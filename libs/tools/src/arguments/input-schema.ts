import type { JsonObject } from '@phaseline/domain';
import { z } from 'zod';

/**
 * The JSON Schema of a tool's input, as models read it. Without the bounds that zod gives to every integer: they say nothing
 * about the tool, cost tokens in each call, and some model servers refuse numbers of that size.
 */
export function inputSchema(input: z.ZodType): JsonObject {
  const { $schema: _draft, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return schema as JsonObject;
}
