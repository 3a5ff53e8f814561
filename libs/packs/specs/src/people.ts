import { ASK_PERSON } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Maximum length of a question in characters. */
const MAX_QUESTION_CHARACTERS = 4_000;
/** Maximum length of an option in characters. */
const MAX_OPTION_CHARACTERS = 200;
const MAX_OPTIONS = 20;

/** Tool that asks a person. */
export const peopleSpec = declarePack('people', {
  [ASK_PERSON]: {
    lane: 'inline',
    description:
      'Asks a person a question and waits for the answer, perhaps for hours. Ask only what you cannot find out or decide yourself, and everything at once. If nobody answers before the deadline, the default applies.',
    traits: ['not_nestable'],
    input: z.object({
      question: z
        .string()
        .trim()
        .min(1)
        .max(MAX_QUESTION_CHARACTERS)
        .describe('Understandable without this conversation: what you need to know, and why'),
      options: z
        .array(z.string().trim().min(1).max(MAX_OPTION_CHARACTERS))
        .min(1)
        .max(MAX_OPTIONS)
        .optional()
        .describe('The answers to choose from'),
      schema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the answer, instead of options'),
      deadline: z.string().min(1).max(40).describe('How long to wait, such as 30m, 8h or 2d, or a time in ISO 8601'),
      default: z.unknown().optional().describe('The answer that applies if nobody answers in time'),
    }),
  },
});
