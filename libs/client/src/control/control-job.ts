import { z } from 'zod';
import { jobStatusSchema } from '../job/job-status.js';
import { budgetsSchema } from '../submit/submit-request.js';
import { wellFormedText } from '../submit/well-formed-text.js';

const asked = {
  /** Kept in the log and shown to people. */
  reason: wellFormedText().max(2_000).optional(),
  /** Who asks, for the audit. */
  actor: wellFormedText().min(1).max(200).optional(),
  /**
   * `position` of the job as the caller saw it: refused when somebody paused, resumed, retried or cancelled it since. What the
   * job did by itself meanwhile does not count.
   */
  ifUnchangedSince: z.int().min(0).optional(),
};

export const pauseRequestSchema = z.strictObject(asked).meta({ id: 'PauseRequest' });
export type PauseRequest = z.infer<typeof pauseRequestSchema>;

export const resumeRequestSchema = z.strictObject(asked).meta({ id: 'ResumeRequest' });
export type ResumeRequest = z.infer<typeof resumeRequestSchema>;

export const retryRequestSchema = z
  .strictObject({
    ...asked,
    /** In place of the budgets so far; the wall time counts anew. What is spent already still counts. */
    budgets: budgetsSchema.optional(),
  })
  .meta({ id: 'RetryRequest' });
export type RetryRequest = z.infer<typeof retryRequestSchema>;

export const steerRequestSchema = z
  .strictObject({
    /** What the agent reads before its next step. */
    message: wellFormedText().min(1).max(20_000),
    actor: asked.actor,
    ifUnchangedSince: asked.ifUnchangedSince,
  })
  .meta({ id: 'SteerRequest' });
export type SteerRequest = z.infer<typeof steerRequestSchema>;

export const approvalRequestSchema = z
  .strictObject({
    /** The call that waits; `waitsFor` of the job names it. */
    callId: z.string().min(1).max(200),
    ...asked,
  })
  .meta({ id: 'ApprovalRequest' });
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;

export const upgradeRequestSchema = z
  .strictObject({ actor: asked.actor, ifUnchangedSince: asked.ifUnchangedSince })
  .meta({ id: 'UpgradeRequest' });
export type UpgradeRequest = z.infer<typeof upgradeRequestSchema>;

export const controlResponseSchema = z
  .object({
    jobId: z.uuid(),
    status: jobStatusSchema,
    /** False when the job was so already, and nothing was recorded. */
    changed: z.boolean(),
  })
  .meta({ id: 'ControlResponse' });
export type ControlResponse = z.infer<typeof controlResponseSchema>;

/** What can be asked of a job beside its end, and what each takes. */
export interface ControlRequests {
  readonly pause: PauseRequest;
  readonly resume: ResumeRequest;
  readonly retry: RetryRequest;
  readonly steer: SteerRequest;
  readonly approve: ApprovalRequest;
  readonly refuse: ApprovalRequest;
  readonly upgrade: UpgradeRequest;
}
export type ControlAction = keyof ControlRequests;
