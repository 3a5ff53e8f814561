import { jsonObjectSchema } from '@phaseline/basics';
import { z } from 'zod';
import type { Check } from './check.js';

/**
 * A check in an event. It was validated by `checkSchema` before it was recorded. The events keep it as any object, so that a kind of
 * check that is added later does not change the shape of every event that contains checks; a release that does not know the kind
 * cannot evaluate it, and says so.
 */
export const storedCheckSchema = jsonObjectSchema as unknown as z.ZodType<Check>;
export const storedChecksSchema = z.array(storedCheckSchema);
