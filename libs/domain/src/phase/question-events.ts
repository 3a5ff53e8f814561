import { jsonObjectSchema, jsonValueSchema } from '@phaseline/basics';
import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The job's deadline, moved by the time that the phase waited; absent if the job has no deadline. */
const movedDeadline = z.iso.datetime().optional();

const questionAsked = defineEvent(
  'QuestionAsked',
  1,
  'A call asks a person a question. The phase waits until it is answered or times out.',
  z.object({
    callId: callIdSchema,
    question: z.string(),
    /** The answers to choose from; absent if the person may write any answer. */
    options: z.array(z.string()).min(1).optional(),
    /** JSON Schema of the answer; absent if any answer is accepted. */
    schema: jsonObjectSchema.optional(),
    /** The answer that applies if nobody answers in time. */
    default: jsonValueSchema.optional(),
    /** SHA-256 of the question with its options, schema and default. An answer names it, so that it cannot reach another question. */
    questionHash: sha256,
    askedAt: z.iso.datetime(),
    deadlineAt: z.iso.datetime(),
  }),
);

const questionAnswered = defineEvent(
  'QuestionAnswered',
  1,
  'A person answered a question. The call that asked it is due to return the answer.',
  z.object({
    callId: callIdSchema,
    actor: z.string(),
    answer: jsonValueSchema,
    questionHash: sha256,
    deadlineAt: movedDeadline,
  }),
);

const questionTimedOut = defineEvent(
  'QuestionTimedOut',
  1,
  'Nobody answered a question before its deadline. Its default applies, or the model reads that nobody answered.',
  z.object({ callId: callIdSchema, deadlineAt: movedDeadline }),
);

export const questionEventDefinitions = [questionAsked, questionAnswered, questionTimedOut] as const;
