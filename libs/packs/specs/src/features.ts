import { INPUT_LIST, itemSchema, MAX_ITEMS, SUBMIT_FEATURES } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const MAX_TEXT_CHARACTERS = 2_000;

/** Tool that hands in the items of a loop. */
export const featuresSpec = declarePack('features', {
  [SUBMIT_FEATURES]: {
    lane: 'inline',
    description:
      'Hands in the list of features and ends the phase. Each feature names the cases that prove it: they must fail before the work on it and pass after. The list is fixed from then on. Only the last todo may still be open. A list that is refused twice ends the job.',
    traits: ['claims_completion', 'not_nestable'],
    input: z.object({
      features: z
        .array(itemSchema)
        .min(1)
        .max(MAX_ITEMS)
        .optional()
        .describe(
          `In the order in which they are implemented, so that none needs a later one. Omitted: those of ${INPUT_LIST}, if the job came with it`,
        ),
      setup: z.string().max(MAX_TEXT_CHARACTERS).default('').describe('How the project is set up, started and tested'),
      next_steps: z
        .string()
        .max(MAX_TEXT_CHARACTERS)
        .default('')
        .describe('What the agents that implement them should know'),
    }),
  },
});
