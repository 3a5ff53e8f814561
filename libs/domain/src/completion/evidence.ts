import { z } from 'zod';
import { jsonObjectSchema } from '@phaseline/basics';
import { eventIdSchema } from '@phaseline/contracts';
import { contentName } from '../phase/file-events.js';

/** One check that a completion passed, and what it read, so that the check can be repeated from the log. */
const evidenceSchema = z.object({
  /** The check as data, as it was written in the workflow, the agent or the plan. */
  check: jsonObjectSchema,
  /** Events that the check found, such as the end of a call. */
  eventIds: z.array(eventIdSchema),
  /** Files that the check read, each with its content at that time. */
  files: z.array(z.object({ path: z.string(), hash: contentName })),
});

/** Why a completion was accepted, check by check. Reserved: no completion has evidence yet. */
export const completionEvidenceSchema = z.array(evidenceSchema).optional();
