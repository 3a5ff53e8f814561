import { DIFF_REVIEW } from '@phaseline/checks';
import { z } from 'zod';

const judgeName = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and dashes');

const judgeSchema = z.strictObject({
  /** Profile of the model that judges; that of the phase by default. */
  model: z.string().min(1).max(200).optional(),
  /** What the judge has to look for. Required, except for the shipped judge `diff-review`. */
  instructions: z.string().trim().min(1).max(8_000).optional(),
});

/** Models that may object to a claim, by name. A judge can only refuse: checks that failed stay failed. */
export const judgesSchema = z.record(judgeName, judgeSchema).superRefine((judges, context) => {
  for (const [name, { instructions }] of Object.entries(judges))
    if (instructions === undefined && name !== DIFF_REVIEW)
      context.addIssue({ code: 'custom', path: [name], message: `expected 'instructions' that say what to look for` });
});
