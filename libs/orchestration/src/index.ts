export type { Admission, AdmissionSettings, SlotRequest, SlotWait, TenantLoad } from './admission/admission.js';
export { compareGuards } from './guards/compare-guards.js';
export { GuardChangeRefused, StoredGuardMissing } from './guards/guard-errors.js';
export { GuardRegistry, type GuardEventRecord, type GuardPlace } from './guards/guard-registry.js';
export { toTriedGuard } from './guards/unstored-guard.js';
export { GuardWatch, type GuardOverLimit } from './guards/guard-watch.js';
export { summariseGuard, type GuardSummary } from './guards/guard-summary.js';
export { PostgresAdmission } from './admission/postgres-admission.js';
export { completeDecision } from './complete-decision.js';
export { readDecisionFiles } from './decision-files.js';
export type { ControlOptions } from './control-options.js';
export type { SearchPrecedents } from './find-precedents.js';
export { JobDriver } from './job-driver.js';
export type { ControlOutcome } from './job-driver.js';
export type { AgentSource, ResolvedAgent, ResolvedDefinition } from './ports.js';
export { toJobDefinition } from './job-definition.js';
export { listInstructions, listStateAgents } from './state-agents.js';
export { Reconciler } from './reconciler.js';
export type { ReportedToolRunner } from './repository-support.js';
export {
  AgentsUnusable,
  DocumentRefused,
  IdempotencyKeyReused,
  InputsMissing,
  PersonNotAllowed,
  RepositoryUnavailable,
  VerifierRefused,
} from './submit-errors.js';
export { submitJob } from './submit-job.js';
export type { Submission, SubmissionParts } from './submit-job.js';
export type { JobDocument, JobRequest } from './job-request.js';
export { FollowOnBatches } from './follow-on/follow-on-batches.js';
export type { CacheWriter, FollowOnAgent } from './follow-on/follow-on-batches.js';
export { submitFollowOns } from './follow-on/submit-follow-ons.js';
export { PostgresChildJobTable } from './delegation/child-job-table.js';
export type { ChildJobTable, Delegated } from './delegation/child-job-table.js';
export { ChildJobs } from './delegation/child-jobs.js';
export { eraseJob } from './erase-job.js';
export { hashArguments } from './hash-arguments.js';
export { requestOutput } from './request-output.js';
export type { OutputRequest } from './request-output.js';
export { markReferences } from './cold-storage/mark-references.js';
export { moveJob } from './cold-storage/move-job.js';
export type { ColdMover } from './cold-storage/move-due-jobs.js';
export type { MoveOutcome } from './cold-storage/move-job.js';
export { cleanTables, readTableCleanings } from './cleaning/clean-tables.js';
export type { KeptDays, TableCleaning } from './cleaning/clean-tables.js';
export { holdJob } from './retention/hold-job.js';
export { listHolds } from './retention/list-holds.js';
export type { Hold } from './retention/list-holds.js';
export { executeNextRun } from './retention/execute-run.js';
export { RetentionRuns } from './retention/retention-runs.js';
export type { RetentionRun, RetentionRunJob } from './retention/retention-runs.js';
export { Retention } from './retention/retention.js';
export { readRetentionSettings, setRetention } from './retention/retention-settings.js';
export type { RetentionResult } from './retention/retention-types.js';
