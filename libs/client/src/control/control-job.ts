import { z } from 'zod';
import { jobStatusSchema, submitBudgetsSchema, wellFormedText, jobIdSchema, callIdSchema } from '@phaseline/contracts';

const commonFields = {
  /** Stored in the event log and shown to people. */
  reason: wellFormedText().max(2_000).optional(),
  /**
   * Position of the job as the caller saw it. The request is refused if another client has paused, resumed, retried or cancelled the job
   * since. The job's own progress does not count.
   */
  ifUnchangedSince: z.int().min(0).optional(),
};

export const pauseRequestSchema = z.strictObject(commonFields).meta({ id: 'PauseRequest' });
export type PauseRequest = z.infer<typeof pauseRequestSchema>;

export const resumeRequestSchema = z.strictObject(commonFields).meta({ id: 'ResumeRequest' });
export type ResumeRequest = z.infer<typeof resumeRequestSchema>;

export const retryRequestSchema = z
  .strictObject({
    ...commonFields,
    /** Replaces the job's budgets. Wall time is counted from the retry; cost and tokens already spent still count. */
    budgets: submitBudgetsSchema.optional(),
  })
  .meta({ id: 'RetryRequest' });
export type RetryRequest = z.infer<typeof retryRequestSchema>;

export const steerRequestSchema = z
  .strictObject({
    /** Message that the agent reads before its next step. */
    message: wellFormedText().min(1).max(20_000),
    ifUnchangedSince: commonFields.ifUnchangedSince,
  })
  .meta({ id: 'SteerRequest' });
export type SteerRequest = z.infer<typeof steerRequestSchema>;

export const approvalDecisionRequestSchema = z
  .strictObject({
    /** Id of the call that waits for approval; see `waitsFor` of the job. */
    callId: callIdSchema.check(z.minLength(1), z.maxLength(200)),
    ...commonFields,
  })
  .meta({ id: 'ApprovalDecisionRequest' });
export type ApprovalDecisionRequest = z.infer<typeof approvalDecisionRequestSchema>;

/** Maximum length of an answer or of new arguments, as JSON. */
const MAX_VALUE_CHARACTERS = 200_000;
const UNSTORABLE = `expected at most ${MAX_VALUE_CHARACTERS} characters of JSON, without NUL and unpaired surrogates`;

function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE_CHARACTERS && !/\\u(?:0000|d[89a-f])/i.test(text);
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const approveRequestSchema = approvalDecisionRequestSchema
  .extend({
    /** Hash of the arguments to approve, as in the inbox. The request is refused if the call has others. */
    argumentsHash: sha256,
    /** Runs the call with these arguments instead. They are checked like those of the model. */
    arguments: z.record(z.string(), z.unknown()).refine(isStorable, UNSTORABLE).optional(),
  })
  .meta({ id: 'ApproveRequest' });
export type ApproveRequest = z.infer<typeof approveRequestSchema>;

export const answerRequestSchema = z
  .strictObject({
    /** Id of the call that asked the question; see `GET /v1/inbox`. */
    callId: callIdSchema.check(z.minLength(1), z.maxLength(200)),
    /** Hash of the question to answer, as in the inbox. The request is refused if the call asks another one. */
    questionHash: sha256,
    /** One of the options, a value that matches the schema of the question, or any text. */
    answer: z
      .union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
      .refine(isStorable, UNSTORABLE),
    ifUnchangedSince: commonFields.ifUnchangedSince,
  })
  .meta({ id: 'AnswerRequest' });
export type AnswerRequest = z.infer<typeof answerRequestSchema>;

export const upgradeRequestSchema = z
  .strictObject({ ifUnchangedSince: commonFields.ifUnchangedSince })
  .meta({ id: 'UpgradeRequest' });
export type UpgradeRequest = z.infer<typeof upgradeRequestSchema>;

export const controlResponseSchema = z
  .object({
    jobId: jobIdSchema,
    status: jobStatusSchema,
    /** False if the job was already in the requested state and nothing was recorded. */
    changed: z.boolean(),
  })
  .meta({ id: 'ControlResponse' });
export type ControlResponse = z.infer<typeof controlResponseSchema>;

/** Control actions on a job other than cancel, with their request types. */
export interface ControlRequests {
  readonly pause: PauseRequest;
  readonly resume: ResumeRequest;
  readonly retry: RetryRequest;
  readonly steer: SteerRequest;
  readonly approve: ApproveRequest;
  readonly refuse: ApprovalDecisionRequest;
  readonly answer: AnswerRequest;
  readonly upgrade: UpgradeRequest;
}
export type ControlAction = keyof ControlRequests;
