/** Entry of the tarball that applications install: the client, and the contracts of submissions and statuses that it bundles. */
export * from './index.js';
export {
  submitBudgetsSchema,
  forkModes,
  idempotencyKeySchema,
  isDocumentName,
  isEnded,
  jobStatusSchema,
  jobStatuses,
  labelsSchema,
  SUBMIT_LIMITS,
  submitRequestSchema,
  submitResponseSchema,
  type ForkMode,
  type JobStatus,
  type SubmitRequest,
  type SubmitResponse,
} from '@phaseline/contracts';
