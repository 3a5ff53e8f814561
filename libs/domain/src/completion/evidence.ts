import { storedCheckSchema } from '@phaseline/checks';
import { eventIdSchema, streamIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { contentName } from '../phase/file-events.js';

/** One check that a claim passed, and what it read, so that the check can be repeated from the log. */
const evidenceSchema = z.object({
  /** The check as it was written in the workflow, the agent or the plan. */
  check: storedCheckSchema,
  /** Reserved by the first version of the events, and never written: an event has its id only once it is stored. */
  eventIds: z.array(eventIdSchema).optional(),
  /** Events that the check found, such as the end of a call. */
  events: z.array(z.object({ streamId: streamIdSchema, version: z.int().min(1) })),
  /** Files that the check read, each with its content at that time. */
  files: z.array(z.object({ path: z.string(), hash: contentName })),
});

/** Why a claim was accepted, check by check. Absent in claims that were recorded before checks existed. */
export const evidenceListSchema = z.array(evidenceSchema).optional();
