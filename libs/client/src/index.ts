export {
  listSecretsQuerySchema,
  removeSecretQuerySchema,
  secretListSchema,
  secretRemovalSchema,
  secretSchema,
  storeSecretRequestSchema,
} from './secret/secret.js';
export {
  changeRoleRequestSchema,
  createPrincipalRequestSchema,
  disablePrincipalRequestSchema,
  linkAccountRequestSchema,
  principalListSchema,
  principalSchema,
  unlinkAccountRequestSchema,
  type ChangeRoleRequest,
  type CreatePrincipalRequest,
  type LinkAccountRequest,
  type ParsedDisablePrincipalRequest,
  type ParsedUnlinkAccountRequest,
  type PrincipalList,
  type PrincipalRecord,
} from './principal/principal.js';
export { whoAmISchema, type WhoAmI } from './principal/who-am-i.js';
export {
  createdKeySchema,
  createKeyRequestSchema,
  keyListSchema,
  keyPrefixSchema,
  keySchema,
  listKeysQuerySchema,
  revokeKeyQuerySchema,
  type CreatedKeyResponse,
  type KeyList,
  type KeyRecord,
  type ListKeysQuery,
  type ParsedCreateKeyRequest,
  type RevokeKeyQuery,
} from './key/key.js';
export { loginLinkSchema } from './sign-in/login-link.js';
export type { LoginLink } from './sign-in/login-link.js';
export type {
  ListSecretsQuery,
  ParsedStoreSecretRequest,
  RemoveSecretQuery,
  Secret,
  SecretList,
  SecretRemoval,
  StoreSecretRequest,
} from './secret/secret.js';
export { PhaselineClient, type PhaselineClientOptions } from './phaseline-client.js';
export type { FetchLike } from './http/transport.js';
export type { FollowOptions } from './event/follow-events.js';
export type { WaitOptions } from './job/wait-for-job.js';
export type { SubmitFile } from './submit/submit-job.js';
export {
  FileChanged,
  FileNotFound,
  IdempotencyConflict,
  InvalidRequest,
  JobNotFound,
  PhaselineClientError,
  RequestRefused,
  RequestTimedOut,
  ServerFailed,
  ServerUnreachable,
  Unauthorized,
  UnexpectedResponse,
  UnknownAgent,
  WaitTimedOut,
} from './http/client-errors.js';

export {
  routes,
  AUTHORIZATION_SCHEME,
  EVENT_STREAM_MEDIA_TYPE,
  ENCRYPT_HEADER,
  CALLER_TIMEOUT_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  LAST_EVENT_ID_HEADER,
} from './http/routes.js';
export {
  createProblem,
  problemErrorSchema,
  describeInvalid,
  PROBLEM_LIMITS,
  problemTitle,
  problemType,
  problemSchema,
  problemStatus,
  PROBLEM_MEDIA_TYPE,
  type Problem,
  type ProblemCode,
  type ProblemError,
} from './problem/problem.js';
export { InvalidFormField, SUBMIT_FORM, SUBMIT_FORM_TEXT_FIELDS, submitRequestFromForm } from './submit/submit-form.js';

export {
  answerRequestSchema,
  approvalDecisionRequestSchema,
  approveRequestSchema,
  controlResponseSchema,
  pauseRequestSchema,
  resumeRequestSchema,
  retryRequestSchema,
  steerRequestSchema,
  upgradeRequestSchema,
} from './control/control-job.js';
export type {
  AnswerRequest,
  ApprovalDecisionRequest,
  ApproveRequest,
  ControlAction,
  ControlRequests,
  ControlResponse,
  PauseRequest,
  ResumeRequest,
  RetryRequest,
  SteerRequest,
  UpgradeRequest,
} from './control/control-job.js';
export {
  cancelRequestSchema,
  cancelResponseSchema,
  type CancelRequest,
  type CancelResponse,
} from './job/cancel-job.js';
export { atQuerySchema, jobStateSchema, type AtQuery, type JobStateResponse } from './job/job-state.js';
export { waitsForSchema } from './job/waits-for.js';
export type { WaitsFor } from './job/waits-for.js';
export {
  jobFailureSchema,
  jobResultSchema,
  jobSummarySchema,
  phaseSummarySchema,
  usageSchema,
  type JobFailure,
  type JobResult,
  type JobSummary,
  type PhaseSummary,
  type Usage,
} from './job/job-summary.js';
export {
  bulkRequestSchema,
  bulkResponseSchema,
  MAX_BULK_JOBS,
  type BulkAction,
  type BulkOutcome,
  type BulkRequest,
  type BulkResponse,
} from './control/bulk-control.js';
export { jobFacetsSchema, type JobFacets } from './job/job-facets.js';
export { jobWaitKindSchema, type JobWait, type JobWaitKind } from './job/job-wait.js';
export {
  jobPageSchema,
  listJobsQuerySchema,
  parseLabelFilter,
  type JobConditions,
  type JobPage,
  type ListJobsQuery,
} from './job/list-jobs.js';

export {
  eventPageSchema,
  eventRecordSchema,
  eventsQuerySchema,
  STREAM_END,
  streamEndSchema,
  type EventPage,
  type EventRecord,
  type EventsQuery,
  type StreamEnd,
} from './event/event-record.js';
export {
  eventIndexQuerySchema,
  eventIndexSchema,
  eventRowPageSchema,
  eventRowSchema,
  eventRowsQuerySchema,
  type EventIndex,
  type EventIndexQuery,
  type EventRow,
  type EventRowPage,
} from './event/event-rows.js';
export { toEventRow } from './event/to-event-row.js';
export {
  readCount,
  readList,
  readListLength,
  readObject,
  readString,
  type UntypedData,
} from './event/summary/event-data.js';
export { summariseCall } from './event/summary/summarise-call.js';
export { summariseEvent } from './event/summary/summarise-event.js';
export { formatAge, formatBytes, formatClock, formatCount, formatUsd, pluralise } from './text/quantities.js';
export type { LiveOptions } from './live/follow-live.js';
export { encodeLiveEvent, liveQuerySchema, type LiveEvent, type LiveQuery } from './live/live-event.js';
export { jobWorkflowSchema, type JobWorkflow } from './job/job-workflow.js';
export {
  MAX_TIMELINE_PHASES,
  timelineQuerySchema,
  timelineSchema,
  type Timeline,
  type TimelineMark,
  type TimelinePhase,
  type TimelineQuery,
  type TimelineSpan,
} from './job/timeline.js';
export {
  encodeEventRecord,
  encodePosition,
  encodeStreamEnd,
  KEEP_ALIVE_COMMENT,
} from './event/encode-server-sent-event.js';
export {
  deleteFileQuerySchema,
  fileListSchema,
  workspaceFileSchema,
  writeFileQuerySchema,
  type DeleteFileQuery,
  type FileList,
  type WorkspaceFile,
  type WriteFileQuery,
} from './file/workspace-file.js';
export { generateIdempotencyKey } from './http/generate-idempotency-key.js';
export type { FileEditOptions } from './http/requests.js';
export { alertListSchema, alertSchema, type Alert, type AlertList } from './alert/alert.js';
export {
  deadLetterDetailSchema,
  deadLetterDiscardSchema,
  deadLetterPageSchema,
  deadLetterRetrySchema,
  deadLetterSchema,
  deadLettersQuerySchema,
  discardDeadLetterRequestSchema,
  type DeadLetterRecord,
  type DeadLetterDetail,
  type DeadLetterDiscard,
  type DeadLetterPage,
  type DeadLetterRetry,
  type DeadLettersQuery,
  type DiscardDeadLetterRequest,
} from './queue/dead-letter.js';
export {
  editedResponseInputSchema,
  forkRequestSchema,
  forkResponseSchema,
  type EditedResponseInput,
  type ForkInput,
  type ForkRequest,
  type ForkResponse,
} from './time/fork-job.js';
export {
  diffQuerySchema,
  jobDiffSchema,
  type DiffQuery,
  type FileChanges,
  type JobDiffResponse,
  type UsageChange,
} from './time/job-diff.js';
export {
  jobComparisonSchema,
  type ComparedEvent,
  type ComparedJob,
  type JobComparisonResponse,
} from './time/job-comparison.js';
export {
  setTenantRequestSchema,
  tenantListSchema,
  tenantNameSchema,
  tenantSchema,
  type SetTenantRequest,
  type Tenant,
  type TenantList,
} from './tenant/tenant.js';
export { queueDepthSchema, queueDepthsSchema, type QueueDepth, type QueueDepths } from './queue/queue-depths.js';
export {
  costGroups,
  costGroupSchema,
  costReportSchema,
  costsQuerySchema,
  type CostGroup,
  type CostReport,
  type CostsQuery,
} from './projection/cost-report.js';
export {
  phaseListSchema,
  phaseRecordSchema,
  phasesQuerySchema,
  type PhaseList,
  type PhaseRecord,
  type PhasesQuery,
} from './projection/phase-record.js';
export {
  queueHistoryQuerySchema,
  queueHistorySchema,
  type QueueHistory,
  type QueueHistoryQuery,
  type QueueMinute,
} from './projection/queue-history.js';
export {
  toolCallPageSchema,
  toolCallRecordSchema,
  toolCallsQuerySchema,
  type ToolCallPage,
  type ToolCallRecord,
  type ToolCallsQuery,
} from './projection/tool-call-record.js';
export {
  erasureSchema,
  eraseRequestSchema,
  eraseResponseSchema,
  type Erasure,
  type EraseRequest,
  type EraseResponse,
} from './erase/erase-job.js';
export {
  modelCallListSchema,
  promptQuerySchema,
  promptSchema,
  type ModelCall,
  type ModelCallList,
  type PromptLayer,
  type PromptMessage,
  type PromptQuery,
  type PromptResponse,
} from './prompt/prompt.js';
export { claimPageSchema, claimsQuerySchema, type Claim, type ClaimPage, type ClaimsQuery } from './claims/claim.js';
export { agentListSchema, type AgentList, type DefinitionProblemRecord } from './agent/agent-list.js';
export {
  agentDetailSchema,
  agentValidationSchema,
  validateAgentRequestSchema,
  type AgentDetail,
  type AgentValidation,
  type ValidateAgentRequest,
} from './agent/agent-detail.js';
export {
  followOnListSchema,
  followOnsQuerySchema,
  type FollowOnList,
  type FollowOnsQuery,
} from './follow-on/follow-on.js';
export {
  explainQuerySchema,
  explanationSchema,
  type ExplainedRange,
  type ExplainedWrite,
  type ExplainQuery,
  type ExplanationResponse,
  type LineSource,
  type ReadDocument,
} from './explain/explanation.js';
export {
  holdPageSchema,
  holdRequestSchema,
  holdResponseSchema,
  holdsQuerySchema,
  releaseHoldQuerySchema,
  type HoldPage,
  type HoldRecord,
  type HoldRequest,
  type HoldResponse,
  type HoldsQuery,
  type ReleaseHoldQuery,
} from './hold/hold.js';
export {
  retentionRunJobPageSchema,
  retentionRunJobsQuerySchema,
  retentionRunRequestSchema,
  retentionRunSchema,
  retentionSchema,
  retentionSettingSchema,
  setRetentionRequestSchema,
  type ParsedRetentionRunRequest,
  type ParsedSetRetentionRequest,
  type RetentionRunJobPage,
  type RetentionRunJobRecord,
  type RetentionRunJobsQuery,
  type RetentionRunRecord,
  type RetentionRunRequest,
  type RetentionSettingRecord,
  type TableCleaningRecord,
  type RetentionStatus,
  type SetRetentionRequest,
} from './retention/retention.js';
export {
  planningStatuses,
  planPageSchema,
  planReplyRequestSchema,
  planReplyResponseSchema,
  planSchema,
  plansQuerySchema,
  planTraceSchema,
  planProgressSchema,
  runPlanRequestSchema,
  runPlanResponseSchema,
  submitPlanRequestSchema,
  submitPlanResponseSchema,
} from './plan/plan.js';
export type {
  Plan,
  PlanItem,
  PlanLimits,
  PlanPage,
  PlanReplyRequest,
  PlanReplyResponse,
  PlansQuery,
  PlanStep,
  PlanTrace,
  ScheduleFormat,
  PlanWait,
  SubmitPlanRequest,
  SubmitPlanResponse,
  PlanProgress,
  RunPlanRequest,
  RunPlanResponse,
} from './plan/plan.js';
export {
  changePreferencesRequestSchema,
  preferencesQuerySchema,
  preferencesSchema,
} from './preferences/preferences.js';
export {
  learningTracePageSchema,
  learningTraceSchema,
  learningTracesQuerySchema,
  promoteTraceRequestSchema,
  traceScopeChangeSchema,
  withdrawTraceRequestSchema,
} from './learning/learning-trace.js';
export type {
  LearningTracePage,
  LearningTraceRecord,
  LearningTracesQuery,
  PromoteTraceRequest,
  TraceScopeChangeRecord,
  WithdrawTraceRequest,
} from './learning/learning-trace.js';
export { learningReportQuerySchema, learningReportSchema } from './learning/report.js';
export type { LearningReportQuery, LearningReportRecord } from './learning/report.js';
export {
  guardProposalSchema,
  patternListSchema,
  patternProposalsSchema,
  patternsQuerySchema,
} from './learning/pattern.js';
export type {
  GuardProposalRecord,
  PatternList,
  PatternProposalRecord,
  PatternProposals,
  PatternRecord,
  PatternsQuery,
} from './learning/pattern.js';
export { calibrationQuerySchema, calibrationReportSchema } from './learning/calibration.js';
export type { CalibrationGroup, CalibrationQuery, CalibrationReport } from './learning/calibration.js';
export {
  formatInterval,
  formatOverConfidence,
  formatShare,
  listCalibrationLines,
  type CalibrationLine,
} from './learning/calibration-lines.js';
export type { ChangePreferencesRequest, Preferences, PreferencesQuery } from './preferences/preferences.js';
export { inboxKinds, inboxPageSchema, inboxQuerySchema } from './inbox/inbox.js';
export type { InboxItem, InboxPage, InboxQuery } from './inbox/inbox.js';
export {
  jobRepositorySchema,
  outputRequestedSchema,
  patchRequestSchema,
  publishRequestSchema,
} from './repository/repository-output.js';
export type {
  JobRepositoryResponse,
  OutputRequested,
  PatchRequest,
  PublishRequest,
  RepositoryOutputRecord,
} from './repository/repository-output.js';
export {
  processListSchema,
  sandboxRecordSchema,
  type ProcessList,
  type ProcessRecord,
  type SandboxRecord,
} from './process/process-record.js';
export {
  addGuardRequestSchema,
  backtestGuardRequestSchema,
  guardChangeSchema,
  guardListSchema,
  guardPlaceQuerySchema,
  guardSchema,
  listGuardsQuerySchema,
  overrideGuardRequestSchema,
  promoteGuardRequestSchema,
  recordedBacktestSchema,
  revokeGuardOverrideRequestSchema,
  rollBackGuardRequestSchema,
  type AddGuardRequest,
  type BacktestGuardRequest,
  type GuardBacktestRecord,
  type GuardChangeRecord,
  type GuardList,
  type GuardPlaceQuery,
  type GuardRecord,
  type GuardSummaryRecord,
  type ListGuardsQuery,
  type ParsedBacktestGuardRequest,
  type ParsedOverrideGuardRequest,
  type PromoteGuardRequest,
  type RecordedBacktest,
  type RevokeGuardOverrideRequest,
  type RollBackGuardRequest,
} from './guard/guard.js';
export {
  actionPageSchema,
  actionsQuerySchema,
  anchorPageSchema,
  anchorsQuerySchema,
  exportQuerySchema,
  verificationRequestSchema,
  verificationSchema,
  type ActionPage,
  type ActionRecord,
  type ActionsQuery,
  type AnchorPage,
  type AnchorRecord,
  type AnchorsQuery,
  type AuditProblemRecord,
  type ExportQuery,
  type ParsedVerificationRequest,
  type Verification,
} from './audit/audit.js';
export {
  MAX_LISTED_HITS,
  releaseCheckRequestBodySchema,
  releaseCheckSchema,
  whatIfBacktestRequestSchema,
  whatIfBacktestSchema,
  whatIfBillRequestSchema,
  whatIfBillSchema,
  type ParsedReleaseCheckRequestBody,
  type ParsedWhatIfBacktestRequest,
  type ParsedWhatIfBillRequest,
  type ReleaseCheck,
  type ReleaseCheckRequestBody,
  type WhatIfBacktest,
  type WhatIfBacktestRequest,
  type WhatIfBill,
  type WhatIfBillRequest,
} from './what-if/what-if.js';
