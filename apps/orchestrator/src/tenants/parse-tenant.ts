import { tenantNameSchema } from '@phaseline/client';
import { invalidValues } from '../problem/validation.pipe.js';

/** Parses the name of a tenant in a path. Throws ApiProblem. */
export function parseTenant(text: string): string {
  const named = tenantNameSchema.safeParse(text);
  if (named.success) return named.data;
  throw invalidValues(named.error, 'tenant');
}
