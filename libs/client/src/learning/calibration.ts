import { z } from 'zod';

const MAX_NAME_CHARACTERS = 200;
const name = z.string().min(1).max(MAX_NAME_CHARACTERS);
const count = z.int().min(0);
const share = z.number().min(0).max(1).nullable();

/** Query of `GET /v1/learning/calibration`. */
export const calibrationQuerySchema = z
  .strictObject({
    agent: name.optional(),
    model: name.optional(),
    /** Only drafts that were assessed at this time or later. */
    since: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'CalibrationQuery' });
export type CalibrationQuery = z.infer<typeof calibrationQuerySchema>;

const calibrationShape = {
  /** Drafts by what became of them: approved as they were, changed because of what a person said, invalid, aborted with their plan. */
  counts: z.object({ approved: count, changed: count, invalid: count, aborted: count }),
  /** Null without drafts other than aborted ones. */
  meanConfidence: share,
  /** Share of the drafts that were approved as they were; aborted ones do not count. */
  shareApproved: share,
  /** Mean confidence minus that share: positive if the planner is too sure of itself. */
  overConfidence: z.number().nullable(),
  /** Interval that contains the true value with a probability of 95 %; null for fewer than two drafts. */
  interval: z.tuple([z.number(), z.number()]).nullable(),
};

const calibrationBandSchema = z
  .object({
    /** Confidences of the band: `from` is part of it, `to` only if it is 1. */
    from: z.number(),
    to: z.number(),
    ...calibrationShape,
  })
  .meta({ id: 'CalibrationBand' });

const calibrationGroupSchema = z
  .object({
    agent: z.string(),
    /** Null where only the parent of a fork knows it. */
    model: z.string().nullable(),
    ...calibrationShape,
    /** Bands without drafts are left out. */
    bands: z.array(calibrationBandSchema),
  })
  .meta({ id: 'CalibrationGroup' });
export type CalibrationGroup = z.infer<typeof calibrationGroupSchema>;

export const calibrationReportSchema = z
  .object({
    /** One entry per agent and model. */
    items: z.array(calibrationGroupSchema),
  })
  .meta({ id: 'CalibrationReport' });
export type CalibrationReport = z.infer<typeof calibrationReportSchema>;
