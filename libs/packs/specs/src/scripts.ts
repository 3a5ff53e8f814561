import { RUN_SCRIPT } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tool that runs scripts which call other tools. */
export const scriptsSpec = declarePack('scripts', {
  [RUN_SCRIPT]: {
    lane: 'inline',
    description:
      'Runs JavaScript that calls your tools and returns only the value of the script: await tools.NAME({…}) returns the text of the result, and throws if the call fails. Promise.all runs calls concurrently. End with return. Files, network, timers, dates and randomness are available only through tools.',
    traits: ['not_nestable', 'bookkeeping'],
    input: z.object({
      code: z
        .string()
        .min(1)
        .max(50_000)
        .describe('The body of an async function, such as: return await tools.read_file({ path: "a.txt" })'),
    }),
  },
});
