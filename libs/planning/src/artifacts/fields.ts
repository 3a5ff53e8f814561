import { isBlankText } from '@phaseline/basics';
import { wellFormedText } from '@phaseline/contracts';
import { z } from 'zod';

/** Maximum number of nodes of an outline, and so of tasks and entries of everything made from it. Twice the largest plan that is measured. */
export const MAX_NODES = 1_000;
/** Maximum number of dependencies of a roadmap: four per node. */
export const MAX_DEPENDENCIES = 4 * MAX_NODES;
/** Maximum estimate of a task in minutes: a year of eight-hour working days. Longer work is several tasks. */
export const MAX_ESTIMATE_MINUTES = 8 * 60 * 260;

const MAX_TITLE_CHARACTERS = 200;
/** Longest text of a few sentences, in characters. */
export const MAX_SENTENCES_CHARACTERS = 2_000;

/** Schema of a visible text of at most `maxCharacters`. */
export function textSchema(maxCharacters: number): z.ZodString {
  return wellFormedText()
    .min(1)
    .max(maxCharacters)
    .refine((text) => !isBlankText(text), 'expected a visible text');
}

/** A title: one line in lists, tables and pictures. */
export const titleSchema = textSchema(MAX_TITLE_CHARACTERS);
/** A few sentences: a reason, a criterion, a description. */
export const sentencesSchema = textSchema(MAX_SENTENCES_CHARACTERS);

/** Id of a node, chosen by the author of the outline, or id of an option. */
export const nodeIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected letters, digits, ".", "_", "-"');

/** Content hash of an artifact, as the injected hash function returns it: hexadecimal. */
export const contentHashSchema = z.string().regex(/^[0-9a-f]{16,128}$/, 'expected a hexadecimal hash');

/** A calendar day, YYYY-MM-DD. */
export const daySchema = z.iso.date();
/** An instant in UTC, such as 2027-01-04T08:00:00Z. The zone in which people read it is a field of its own. */
export const instantSchema = z.iso.datetime();
/** Name of a time zone, such as Europe/Berlin. Whether the zone exists is checked by the grammar, which can suggest a fix. */
export const zoneSchema = z.string().max(64);
/** A recurrence rule of RFC 5545 without the prefix, such as FREQ=WEEKLY;BYDAY=MO;COUNT=12. Its parts are checked by the grammar. */
export const recurrenceSchema = z.string().min(1).max(300);
/** Name of a tool, agent or user. */
export const nameSchema = textSchema(200);
/** A number between 0 and 1. */
export const shareSchema = z.number().min(0).max(1);
