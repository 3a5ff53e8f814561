import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';
import { tenantNameSchema } from '../tenant/tenant.js';

const count = z.int().min(0);
/** Days after the end of a job; null: for ever. */
const days = z.int().min(0).max(36_500).nullable();

/** How long a tenant keeps what its ended jobs leave behind. */
export const retentionSettingSchema = z
  .object({
    tenant: z.string(),
    /** Days that files are kept; null: for ever. */
    filesDays: days,
    /** Days that vectors for semantic search are kept; null: as long as the files. */
    vectorsDays: days,
    /** Days that learning traces are kept that nobody promoted; null: for ever. */
    learningDays: days,
    /** Days after which the events of ended phases move to cold storage; null: never. */
    coldDays: days,
    /** When and by whom the setting was changed last; null if that was not recorded. */
    changedAt: z.iso.datetime().nullable(),
    changedBy: z.string().nullable(),
  })
  .meta({ id: 'RetentionSetting' });
export type RetentionSettingRecord = z.infer<typeof retentionSettingSchema>;

/** Body of `PUT /v1/tenants/:tenant/retention`. It replaces the whole setting. */
export const setRetentionRequestSchema = z
  .strictObject({
    filesDays: days,
    vectorsDays: days.default(null),
    learningDays: days.default(null),
    coldDays: days.default(null),
  })
  .meta({ id: 'SetRetentionRequest' });
export type SetRetentionRequest = z.input<typeof setRetentionRequestSchema>;
export type ParsedSetRetentionRequest = z.output<typeof setRetentionRequestSchema>;

/** A run of retention. Its figures cover the tenants in which the caller has the right. */
export const retentionRunSchema = z
  .object({
    runId: z.string(),
    status: z.enum(['waiting', 'running', 'completed', 'failed']),
    dryRun: z.boolean(),
    /** Missing if the run is for all tenants. */
    tenants: z.array(z.string()).optional(),
    requestedBy: z.string(),
    requestedAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    /** Why the run failed. What it removed before is removed. */
    failure: z.string().optional(),
    /** Number of ended jobs whose time is over that were checked so far. */
    jobs: count,
    /** Number of these jobs of which something was removed; with `dryRun`, would be removed. */
    removedJobs: count,
    files: count,
    bytes: count,
    /** Number of files whose vectors were removed before the files. */
    vectorFiles: count,
    /** Number of learning traces that were removed. */
    learningTraces: count,
    /** Number of jobs whose events moved to cold storage; with `dryRun`, would move. */
    movedJobs: count,
    /** Number of events that moved. */
    archivedEvents: count,
    /** Size of the archives that the run made, in bytes. */
    archiveBytes: count,
  })
  .meta({ id: 'RetentionRun' });
export type RetentionRunRecord = z.infer<typeof retentionRunSchema>;

/** When old rows of a table were removed. Newer servers may clean more tables. */
const tableCleaningSchema = z
  .object({
    table: z.string(),
    keptDays: count,
    /** End of the last complete cleaning; null while the first one runs. */
    endedAt: z.iso.datetime().nullable(),
    /** Number of rows that the last complete cleaning removed. */
    removed: count,
  })
  .meta({ id: 'TableCleaning' });
export type TableCleaningRecord = z.infer<typeof tableCleaningSchema>;

/** The settings of the tenants in which the caller has the right. All other tenants keep everything. */
export const retentionSchema = z
  .object({
    tenants: z.array(retentionSettingSchema),
    /** Milliseconds between the runs that the service starts itself; missing if it starts none. */
    automaticEveryMs: count.optional(),
    /** The newest run that was no dry run. */
    lastRun: retentionRunSchema.optional(),
    /** The tables of which the service removes old rows by itself; only for callers with the right in all tenants. */
    tables: z.array(tableCleaningSchema).optional(),
  })
  .meta({ id: 'Retention' });
export type RetentionStatus = z.infer<typeof retentionSchema>;

/** Body of `POST /v1/retention/runs`. */
export const retentionRunRequestSchema = z
  .strictObject({
    /** Whether to report what would be removed without removing it. */
    dryRun: z.boolean().default(false),
    /** Only jobs of this tenant; default: of all tenants in which the caller has the right. */
    tenant: tenantNameSchema.optional(),
  })
  .meta({ id: 'RetentionRunRequest' });
export type RetentionRunRequest = z.input<typeof retentionRunRequestSchema>;
export type ParsedRetentionRunRequest = z.output<typeof retentionRunRequestSchema>;

/** What a run did with a job. Newer servers may have more kinds of outcomes. */
const retentionRunJobSchema = z
  .object({
    jobId: jobIdSchema,
    tenant: z.string(),
    /**
     * `removed`, `vectors-removed`, `traces-removed`, `released` (the job needs none of its files any more), `kept`, `moved` (to cold storage) or
     * `not-moved`.
     */
    kind: z.string(),
    files: count.optional(),
    bytes: count.optional(),
    vectorFiles: count.optional(),
    traces: count.optional(),
    /** Number of events that moved to cold storage. */
    events: count.optional(),
    archiveBytes: count.optional(),
    /** Number of files that are removed with the last other job that needs them. */
    neededElsewhere: count.optional(),
    /** Why nothing was removed or moved, such as `held`, `forked`, `recently-stored`, `changing` or `not-anchored`. */
    reason: z.string().optional(),
  })
  .meta({ id: 'RetentionRunJob' });
export type RetentionRunJobRecord = z.infer<typeof retentionRunJobSchema>;

/** Query of `GET /v1/retention/runs/:id/jobs`. */
export const retentionRunJobsQuerySchema = z
  .strictObject({
    /** `nextAfter` of the previous page. */
    after: queryPosition().default(0),
    limit: queryInteger({ min: 1, max: 500 }).default(100),
  })
  .meta({ id: 'RetentionRunJobsQuery' });
export type RetentionRunJobsQuery = z.infer<typeof retentionRunJobsQuerySchema>;

/** A page of what a run did, in order. While the run continues, later pages have more. */
export const retentionRunJobPageSchema = z
  .object({
    items: z.array(retentionRunJobSchema),
    /** Where the next page begins, also if it has no items yet. */
    nextAfter: count,
  })
  .meta({ id: 'RetentionRunJobPage' });
export type RetentionRunJobPage = z.infer<typeof retentionRunJobPageSchema>;
