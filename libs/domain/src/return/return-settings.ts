import { z } from 'zod';
import { SUBMIT_FEATURES } from '../item/item.js';

/** Name of the tool with which a phase returns its result. It is offered only where a state names its agent. */
export const PHASE_RETURN = 'phase_return';

/** Path of a JSON Schema beside the definition of an agent. */
const schemaPath = z
  .string()
  .max(500)
  .regex(/^schemas\/[^/\\\0]+\.json$/, 'expected a file of the folder schemas, such as schemas/return.json');

/** What an agent returns at the end of a phase, where a state of the workflow names it. */
export const returnSettingsSchema = z.strictObject({
  /** JSON Schema that the result fulfils. */
  schema: schemaPath,
  /** Maximum size of the result, in tokens of its JSON text. */
  maxTokens: z.int().min(50).max(4_000).default(1_000),
});

/** These settings in an event of a phase, where the path was checked already. */
export const storedReturnSettingsSchema = z.object({ schema: z.string(), maxTokens: z.int().min(1) });

/** Name of the tool with which a phase returns its result: another one where it hands in the items of a loop. */
export function getReturningTool(isListing: boolean): string {
  return isListing ? SUBMIT_FEATURES : PHASE_RETURN;
}
