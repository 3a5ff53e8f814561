import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryPosition } from '../http/query-values.js';
import { usageSchema } from '../job/job-summary.js';

/** Query of `GET /v1/jobs/:jobId/diff`. */
export const diffQuerySchema = z
  .strictObject({
    from: queryPosition(),
    /** Default: now. */
    to: queryPosition().optional(),
    /** Whether to include unified diffs of text files. */
    patches: z.enum(['true', 'false']).optional(),
  })
  .meta({ id: 'DiffQuery' });
export type DiffQuery = z.infer<typeof diffQuerySchema>;

const fileSide = { hash: z.string(), size: z.int().min(0), writtenAt: z.iso.datetime() };
const difference = z.int();

export const fileChangesSchema = z
  .object({
    added: z.array(z.object({ path: z.string(), ...fileSide })),
    removed: z.array(z.object({ path: z.string(), ...fileSide })),
    changed: z.array(z.object({ path: z.string(), from: z.object(fileSide), to: z.object(fileSide) })),
  })
  .meta({ id: 'FileChanges' });
export type FileChanges = z.infer<typeof fileChangesSchema>;

/** Usage between two positions; negative if `to` is before `from`. */
export const usageChangeSchema = z
  .object({
    steps: difference,
    inputTokens: difference,
    cachedInputTokens: difference,
    outputTokens: difference,
    costMicroUsd: difference,
  })
  .meta({ id: 'UsageChange' });
export type UsageChange = z.infer<typeof usageChangeSchema>;

const pointSchema = z
  .object({
    /** Position of the job's last event at or before the requested position. */
    position: z.int().min(0),
    status: z.string(),
    phase: z.int().min(1).optional(),
    usage: usageSchema,
  })
  .meta({ id: 'JobPoint' });

const todoStatus = z.enum(['open', 'done']);

export const jobDiffSchema = z
  .object({
    jobId: jobIdSchema,
    from: pointSchema,
    to: pointSchema,
    /** Phases that started or ended; `from` is missing for a phase that had not started. */
    phases: z.array(
      z.object({
        phase: z.int().min(1),
        kind: z.string(),
        name: z.string(),
        from: z.string().optional(),
        to: z.string(),
      }),
    ),
    todos: z.array(
      z.object({
        phase: z.int().min(1),
        id: z.int(),
        content: z.string(),
        from: todoStatus.optional(),
        to: todoStatus,
        note: z.string().optional(),
      }),
    ),
    files: fileChangesSchema,
    usageChange: usageChangeSchema,
    patches: z
      .array(
        z.object({
          path: z.string(),
          /** A unified diff. */
          patch: z.string().optional(),
          /** Reason why there is no patch. */
          omittedBecause: z.enum(['too-large', 'not-text', 'too-different', 'too-many']).optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'JobDiff' });
export type JobDiffResponse = z.infer<typeof jobDiffSchema>;
