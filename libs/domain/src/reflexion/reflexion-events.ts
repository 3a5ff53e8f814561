import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { usageSchema } from '../phase/model-events.js';

const count = z.int().min(0);

/** The two questions of a reflection, in the order in which the model is asked. */
const reflexionParts = ['assumption', 'prevention'] as const;
const partSchema = z.enum(reflexionParts);
export type ReflexionPart = z.infer<typeof partSchema>;

const reflectionRecorded = defineEvent(
  'ReflectionRecorded',
  1,
  'The model reflected on the failed attempt before: which assumption failed, or how to prevent it.',
  z.object({
    part: partSchema,
    text: z.string(),
    /** Why the reflection does not become part of prompts; only with the second part. */
    refused: z.string().optional(),
    step: z.int().min(1),
    model: z.string(),
    usage: usageSchema,
    costMicroUsd: count,
    durationMs: count,
  }),
);

const reflectionSkipped = defineEvent(
  'ReflectionSkipped',
  1,
  'The phase continues without a reflection: a budget does not allow its call, or the call failed.',
  z.object({
    /** The first part that is missing. */
    part: partSchema,
    code: z.string(),
    message: z.string(),
  }),
);

export const reflexionEventDefinitions = [reflectionRecorded, reflectionSkipped] as const;
