import { z } from 'zod';
import { queryInteger } from '../http/query-values.js';

const count = z.int().min(0);
const number = z.number().nullable();

/** Query of `GET /v1/learning/report`. */
export const learningReportQuerySchema = z
  .strictObject({
    agent: z.string().min(1).max(200).optional(),
    /** Only jobs that were submitted at this time or later, and violations that happened then. */
    since: z.iso.datetime({ offset: true }).optional(),
    /** Number of jobs that are counted, the newest first. */
    limit: queryInteger({ min: 1, max: 1_000 }).default(500),
  })
  .meta({ id: 'LearningReportQuery' });
export type LearningReportQuery = z.infer<typeof learningReportQuerySchema>;

/** `share` is null if there is nothing of which it could be a share. */
const shareShape = { count, of: count, share: z.number().min(0).max(1).nullable() };
const shareSchema = z.object(shareShape).meta({ id: 'LearningShare' });

export const learningReportSchema = z
  .object({
    /** Jobs that were counted, and whether older ones match as well. Forks and encrypted jobs are left out. */
    jobs: count,
    hasMore: z.boolean(),
    antiPatterns: z.object({
      /** Learning traces that no agent read with get_trace. */
      neverRetrieved: shareSchema,
      /** Third and later attempts at the same work that failed like the attempt before the last, and not like the last. */
      oscillation: shareSchema,
      /** Reflections that were refused because they name nothing of the attempt. */
      genericReflections: shareSchema,
      /** Confidence of agents that proposed to complete their job, against the share of these proposals that were accepted. */
      selfScore: z.object({
        proposals: count,
        meanConfidence: number,
        shareAccepted: number,
        /** Positive if agents are too sure of themselves. */
        overConfidence: number,
      }),
      /** Phases that used at least 80 % of their limit of steps, and the mean share that phases used. */
      overthinking: z.object({ ...shareShape, meanUsed: number }),
    }),
    metrics: z.object({
      /** Accepted claims that were refuted later. */
      prematureCompletion: z.object({ ...shareShape, per100: number }),
      /** What people were asked, and said unasked. */
      userPrompts: z.object({ questions: count, approvals: count, steers: count, perJob: number }),
      /** Instructions of each agent of the server. */
      promptSize: z.array(z.object({ agent: z.string(), lines: count, tokens: count })),
      /** Violations with an earlier one of the same pattern. */
      repeatedMistakes: shareSchema,
      /** Denials by guards that held; those that a person had overridden apart. */
      ruleCompliance: z.object({ ...shareShape, overridden: count }),
    }),
  })
  .meta({ id: 'LearningReport' });
export type LearningReportRecord = z.infer<typeof learningReportSchema>;
