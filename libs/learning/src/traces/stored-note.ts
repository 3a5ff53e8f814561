import type { JsonValue } from '@phaseline/basics';
import { z } from 'zod';
import { learningActions, learningReasons, learningTraceTypes, MAX_TRACE_TEXT } from '@phaseline/contracts';
import type { Lesson } from './learning-trace.js';

const text = z.string().max(MAX_TRACE_TEXT);

/** The members of a call that are read from the log. The specification of the tool checks them when the call is made. */
const noteSchema = z.object({
  type: z.enum(learningTraceTypes),
  happened: text,
  correct: text.optional(),
  why: text.optional(),
  action: z.enum(learningActions).default('note'),
  reason: z.enum(learningReasons).default('other'),
});

/** Whether the result of a call says that it stored a learning trace. The name of its tool has to say so too. */
export function isStoredTrace(result: JsonValue | undefined): boolean {
  return storedSchema.safeParse(result).success;
}

const storedSchema = z.object({ stored: z.literal(true) });

/** The lesson that an agent stored; undefined if its arguments are of another shape, as after an edit in a fork. */
export function parseStoredNote(args: unknown): Omit<Lesson, 'context'> | undefined {
  const { success, data } = noteSchema.safeParse(args);
  if (!success) return undefined;
  const { type, action, reason, happened, correct, why } = data;
  // Only the log can tell what a guard or a person did, so an agent cannot say so.
  return {
    type,
    source: 'auto_detected',
    action,
    reason,
    event: { happened, ...(correct === undefined ? {} : { correct }), ...(why === undefined ? {} : { why }) },
  };
}
