import { z } from 'zod';

/**
 * Returns a query schema that Nest can describe parameter by parameter. With its registered name it would become a
 * reference, and the OpenAPI document would lack the parameters.
 */
export function toDescribableQuery<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(schema.shape);
}
