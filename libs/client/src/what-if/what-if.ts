import {
  backtestFiguresSchema,
  billSuppositions,
  jobBacktestSchema,
  jobBillSchema,
  jobCheckSchema,
  jobIdSchema,
} from '@phaseline/contracts';
import { z } from 'zod';

/** Maximum number of jobs of one response. */
const MAX_JOBS = 1_000;

/** Maximum number of hits that a response lists. */
export const MAX_LISTED_HITS = 2_000;

const selection = {
  /** Tenant of the jobs. Default: `default`, or the only one in which the caller has the right. */
  tenant: z.string().min(1).max(200).optional(),
  /** Only jobs of this agent. */
  agent: z.string().min(1).max(200).optional(),
  /** Only jobs that were submitted at or after this time. */
  since: z.iso.datetime().optional(),
  /** At most this many jobs, the newest ones. */
  maxJobs: z.int().min(1).max(MAX_JOBS).default(100),
};

export const whatIfBacktestRequestSchema = z
  .strictObject({
    /** The members of a guard's file, with `code` instead of the name of a script's file. It is not stored. */
    guard: z.record(z.string(), z.unknown()),
    ...selection,
  })
  .meta({ id: 'WhatIfBacktestRequest' });
export type WhatIfBacktestRequest = z.input<typeof whatIfBacktestRequestSchema>;
export type ParsedWhatIfBacktestRequest = z.output<typeof whatIfBacktestRequestSchema>;

const release = z.string();

export const whatIfBacktestSchema = z
  .object({
    release,
    /** Newest first. Those with hits, and those that cannot be read to their end. */
    jobs: z.array(jobBacktestSchema),
    /** Hits that are not listed because there are too many. The figures count them. */
    omittedHits: z.int().min(0),
    figures: backtestFiguresSchema,
  })
  .meta({ id: 'WhatIfBacktest' });
export type WhatIfBacktest = z.infer<typeof whatIfBacktestSchema>;

export const whatIfBillRequestSchema = z
  .strictObject({ ...billSuppositions, ...selection })
  .refine(({ context, prices }) => context !== undefined || prices !== undefined, {
    error: "expected 'context' or 'prices'",
  })
  .meta({ id: 'WhatIfBillRequest' });
export type WhatIfBillRequest = z.input<typeof whatIfBillRequestSchema>;
export type ParsedWhatIfBillRequest = z.output<typeof whatIfBillRequestSchema>;

export const whatIfBillSchema = z
  .object({
    release,
    /** Newest first. */
    jobs: z.array(jobBillSchema),
    /** Jobs for which it cannot be computed. */
    unbilled: z.array(z.object({ jobId: jobIdSchema, reason: z.string() })),
  })
  .meta({ id: 'WhatIfBill' });
export type WhatIfBill = z.infer<typeof whatIfBillSchema>;

export const releaseCheckRequestBodySchema = z.strictObject(selection).meta({ id: 'ReleaseCheckRequest' });
export type ReleaseCheckRequestBody = z.input<typeof releaseCheckRequestBodySchema>;
export type ParsedReleaseCheckRequestBody = z.output<typeof releaseCheckRequestBodySchema>;

export const releaseCheckSchema = z
  .object({
    release,
    /** Newest first. */
    jobs: z.array(jobCheckSchema),
  })
  .meta({ id: 'ReleaseCheck' });
export type ReleaseCheck = z.infer<typeof releaseCheckSchema>;
