import { actorSchema, jobIdSchema, streamIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';
import { tenantNameSchema } from '../tenant/tenant.js';

const count = z.int().min(0);

/** A signed statement of the last event of every stream that changed since the previous anchor. */
const anchorSchema = z
  .object({
    number: z.int().min(1),
    anchoredAt: z.string(),
    /** SHA-256 of the public key that signed it, in hex. */
    keyId: z.string(),
    /** SHA-256 of the anchor, in hex. */
    hash: z.string(),
    /** Number of streams, and of events, that this anchor and all earlier ones cover. */
    streams: count,
    events: count,
    /** Number of streams that changed since the previous anchor. */
    changedStreams: count,
    /** Whether its receipt is stored outside of the database; `unknown` if the server stores no receipts. */
    receipt: z.enum(['stored', 'missing', 'unknown']),
  })
  .meta({ id: 'Anchor' });
export type AnchorRecord = z.infer<typeof anchorSchema>;

/** Query of `GET /v1/audit/anchors`. */
export const anchorsQuerySchema = z
  .strictObject({
    /** `nextBefore` of the previous page. */
    before: queryPosition().optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(50),
  })
  .meta({ id: 'AnchorsQuery' });
export type AnchorsQuery = z.infer<typeof anchorsQuerySchema>;

/** A page of anchors, newest first. */
export const anchorPageSchema = z
  .object({
    items: z.array(anchorSchema),
    nextBefore: z.int().optional(),
    /** Whether the server has a key: it writes anchors, and can sign exports. Older servers do not say. */
    hasKey: z.boolean().optional(),
  })
  .meta({ id: 'AnchorPage' });
export type AnchorPage = z.infer<typeof anchorPageSchema>;

/** Body of `POST /v1/audit/verifications`. */
export const verificationRequestSchema = z
  .strictObject({
    /** Only the streams of this job; default: the whole log. */
    jobId: jobIdSchema.optional(),
    /** Whether the content of files and long texts is checked. */
    files: z.boolean().default(true),
    /** Whether every accepted claim is derived again. */
    claims: z.boolean().default(true),
  })
  .meta({ id: 'VerificationRequest' });
export type VerificationRequest = z.input<typeof verificationRequestSchema>;
export type ParsedVerificationRequest = z.output<typeof verificationRequestSchema>;

/** A place where the log is not what was written. */
const auditProblemSchema = z
  .object({
    /** Kind of the problem (docs/concepts/audit.md). Newer servers may have more. */
    kind: z.string(),
    detail: z.string(),
    streamId: z.string().optional(),
    version: count.optional(),
    anchor: count.optional(),
    jobId: z.string().optional(),
    /** Path of a file, or the location of a long text in its event. */
    path: z.string().optional(),
  })
  .meta({ id: 'AuditProblem' });
export type AuditProblemRecord = z.infer<typeof auditProblemSchema>;

const verificationReportSchema = z.object({
  passed: z.boolean(),
  events: count,
  streams: count,
  anchors: count.optional(),
  /** Ids of the keys that signed the anchors, to compare with those that you trust. */
  keyIds: z.array(z.string()).optional(),
  files: count.optional(),
  bytes: count.optional(),
  /** Number of accepted claims, and of those that follow from the log. */
  claims: count.optional(),
  derivedClaims: count.optional(),
  confirmed: z.array(z.string()).optional(),
  /** What the run could not check, and what it would need. */
  notChecked: z.array(z.string()).optional(),
  /** The first problems; `problemCount` counts all. */
  problems: z.array(auditProblemSchema),
  problemCount: count,
});

/** A verification of the log, or of one job. The process that runs it remembers it until it ends. */
export const verificationSchema = z
  .object({
    id: z.string(),
    /** Missing if the whole log is verified. */
    jobId: jobIdSchema.optional(),
    /** `cancelled`: the process was stopped. */
    status: z.enum(['running', 'completed', 'failed', 'cancelled']),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().optional(),
    /** What was checked so far. `totalEvents` is the number at the beginning. */
    progress: z.object({ events: count, totalEvents: count, files: count, bytes: count, claims: count }),
    /** What was found; set when completed. */
    report: verificationReportSchema.optional(),
    /** Why it failed. */
    failure: z.string().optional(),
  })
  .meta({ id: 'Verification' });
export type Verification = z.infer<typeof verificationSchema>;

/** Query of `GET /v1/audit/actions`. */
export const actionsQuerySchema = z
  .strictObject({
    /** Only actions of this principal, or on its behalf. */
    actor: z.string().min(1).max(200).optional(),
    /** Only events of this type, such as `JobSubmitted`. */
    action: z.string().min(1).max(100).optional(),
    jobId: jobIdSchema.optional(),
    tenant: tenantNameSchema.optional(),
    /** `nextCursor` of the previous page. Opaque. */
    cursor: z.string().min(1).max(100).optional(),
    limit: queryInteger({ min: 1, max: 200 }).default(100),
  })
  .meta({ id: 'ActionsQuery' });
export type ActionsQuery = z.infer<typeof actionsQuerySchema>;

/** Something that a person or a key did, as an event recorded it. */
const actionSchema = z
  .object({
    /** Type of the event. */
    action: z.string(),
    actor: actorSchema,
    at: z.iso.datetime(),
    streamId: streamIdSchema,
    version: z.int().min(1),
    /** Job and tenant; missing if the action concerns the system, such as a new key. */
    jobId: jobIdSchema.optional(),
    tenant: z.string().optional(),
  })
  .meta({ id: 'Action' });
export type ActionRecord = z.infer<typeof actionSchema>;

/** A page of actions, latest first. It may have fewer items than requested, or none, while there are more pages. */
export const actionPageSchema = z
  .object({ items: z.array(actionSchema), nextCursor: z.string().optional() })
  .meta({ id: 'ActionPage' });
export type ActionPage = z.infer<typeof actionPageSchema>;

/** Query of `GET /v1/jobs/:jobId/export`. */
export const exportQuerySchema = z
  .strictObject({
    /** Whether the content of files and long texts is exported as well. */
    files: z.enum(['true', 'false']).default('false'),
  })
  .meta({ id: 'ExportQuery' });
export type ExportQuery = z.infer<typeof exportQuerySchema>;
