import { z } from 'zod';

/** A relative path or glob that does not lead out of its folder. */
export const localPathSchema = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^/\\\0][^\\\0]*$/, 'expected a relative path')
  .refine((path) => path.split('/').every((part) => part !== '..' && part !== '.' && part !== ''), {
    error: "expected a path without empty, '.' and '..' parts",
  });
