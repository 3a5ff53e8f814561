import { RUN_SCRIPT } from '@phaseline/domain';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Tool that runs scripts which call other tools. */
export const scriptsSpec = declarePack('scripts', {
  [RUN_SCRIPT]: {
    lane: 'inline',
    description:
      'Runs JavaScript that calls your tools, so that only what it returns comes back to you: await tools.NAME({…}) gives the text of the result, and throws where the call fails. Promise.all runs calls side by side. End with return. There are no files, network, timers, dates or randomness but through tools.',
    traits: ['not_nestable'],
    input: z.object({
      code: z
        .string()
        .min(1)
        .max(50_000)
        .describe('The body of an async function, such as: return await tools.read_file({ path: "a.txt" })'),
    }),
  },
});
