import { z } from 'zod';

/**
 * A schema of a query as Nest can describe it: parameter by parameter. With the name that it has for others it would become a
 * reference, and the parameters would be missing in the OpenAPI document.
 */
export function query<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(schema.shape);
}
