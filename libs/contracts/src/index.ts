export { answerPieceSchema, answerWatchSchema } from './live/answer-messages.js';
export type { AnswerPiece, AnswerWatch } from './live/answer-messages.js';
export { ANY_TOOL, forkModes, unrecordedPolicies, unrecordedSchema } from './fork-mode.js';
export type { ForkMode, Unrecorded, UnrecordedPolicy } from './fork-mode.js';
export { isEnded, isRetryable, jobStatusSchema, jobStatuses } from './job-status.js';
export type { JobStatus } from './job-status.js';
export {
  actorSchema,
  createRequestActor,
  getActorName,
  identifyKeyOwner,
  LOCAL_ACTOR,
  type Actor,
} from './actor/actor.js';
export { SUBMISSION_JSON_BOUNDS, SUBMIT_LIMITS, isDocumentName } from './submission/document.js';
export {
  callIdSchema,
  eventIdSchema,
  jobIdSchema,
  processIdSchema,
  queuedMessageIdSchema,
  streamIdSchema,
} from './ids/ids.js';
export type { CallId, EventId, JobId, MessageId, ProcessId, QueuedMessageId, StreamId } from './ids/ids.js';
export { jsonParametersSchema } from './submission/json-parameters.js';
export {
  submitBudgetsSchema,
  idempotencyKeySchema,
  labelsSchema,
  submitRequestSchema,
  submitResponseSchema,
} from './submission/submit-request.js';
export type { ParsedSubmitRequest, SubmitRequest, SubmitResponse } from './submission/submit-request.js';
export { deriveMessageId, messageSpecs, queueNames } from './messages/messages.js';
export type { Payloads, PhaseMessage, QueueName } from './messages/messages.js';
export type { HandedOver, Message, Sender, SendOptions } from './messages/sender.js';
export {
  branchNameSchema,
  REPOSITORY_FOLDER,
  parseSshAddress,
  repositoryOutputKinds,
  repositoryRequestSchema,
} from './repository/repository-request.js';
export type { RepositoryOutputKind, RepositoryRequest, SshServer } from './repository/repository-request.js';
export { getRepositoryHost, repositoryHostsSchema } from './repository/repository-host.js';
export { isUsableGit, MIN_GIT_VERSION, parseGitVersion } from './repository/git-version.js';
export { wellFormedText } from './submission/well-formed-text.js';
export { secretNameSchema } from './secrets/secret-name.js';
export {
  allowedHosts,
  declaredSecrets,
  listDeclaredSecrets,
  listMcpToolNames,
  toolSettingsSchema,
} from './tools/tool-settings.js';
export type { CommandSettings, McpServer, McpTool, ToolSettings } from './tools/tool-settings.js';
export type {
  AnswerEnd,
  AnsweredCall,
  CallArguments,
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  ChatToolCall,
  TokenUsage,
  ToolDefinition,
} from './chat/chat.js';
export { reasoningEfforts } from './chat/chat.js';
export { isReasoningSent, reasoningModes } from './chat/reasoning-mode.js';
export type { ReasoningMode } from './chat/reasoning-mode.js';
export { SHIPPED_VOCABULARIES, vocabularySchema } from './tools/vocabulary.js';
export type { Vocabulary } from './tools/vocabulary.js';
export { metamodelSchema } from './tools/metamodel.js';
export type { Metamodel } from './tools/metamodel.js';
export { confidenceSettingsSchema, heuristicNames, planningSettingsSchema } from './tools/planning-settings.js';
export type {
  ConfidenceSettings,
  HeuristicName,
  PlanningSettings,
  ProposalSettings,
} from './tools/planning-settings.js';
export { DEFAULT_DOCUMENT_SETTINGS, DEFAULT_DUPLICATE_THRESHOLD, searchDepths } from './tools/tool-limits.js';
export type { DocumentSettings, SearchDepth } from './tools/tool-limits.js';
export { FULFILMENT_TYPES, MODALITIES, TARGET_LABELS } from './tools/requirement-terms.js';
export type { Modality } from './tools/requirement-terms.js';
export type {
  DeclaredPack,
  DeclaredTools,
  DynamicToolSpecs,
  InlineToolDeclaration,
  PackSpec,
  RemoteToolDeclaration,
  ToolDeclaration,
} from './tools/tool-declaration.js';
export { toolTraits, type ToolEffect, type ToolLane, type ToolSpec, type ToolTraits } from './tools/tool-spec.js';
export { ToolError } from './tools/tool-error.js';
export { localPathSchema } from './paths/local-path.js';
export { type Service } from './verification/service.js';
export { countsTests, type VerifierReads } from './verification/verifier-reads.js';
export {
  MAX_VERIFIER_STEP_MS,
  listDependencyFolders,
  overrideCases,
  overrideVerifier,
  submittedVerifiersSchema,
  verifierDefinitionSchema,
  verifierOverrideSchema,
  verifierQuerySchema,
  verifierRequestSchema,
} from './verification/verifier-definition.js';
export type {
  SubmittedVerifiers,
  VerifierCases,
  VerifierDefinition,
  VerifierQuery,
  VerifierRequest,
} from './verification/verifier-definition.js';
export {
  backtestFiguresSchema,
  DEFAULT_MIN_LABELLED,
  guardCasesSchema,
  guardLimitsSchema,
  MAX_BACKTEST_EXAMPLES,
  promotionBasisSchema,
  promotionCauses,
  type BacktestFigures,
  type GuardLimits,
  type PromotionBasis,
  type PromotionCause,
} from './guards/guard-evidence.js';
export {
  backtestMessageSchema,
  hitAssessments,
  jobBacktestSchema,
  type BacktestHit,
  type BacktestMessage,
  type BacktestRequest,
  type HitAssessment,
  type HitOutcome,
  type JobBacktest,
} from './what-if/backtest.js';
export type { Amount } from './what-if/amount.js';
export { addAmounts, NO_AMOUNT, sumHitCosts, type HitCosts } from './what-if/hit-costs.js';
export {
  billMessageSchema,
  billSuppositions,
  jobBillSchema,
  type BilledCalls,
  type BillMessage,
  type BillRequest,
  type ContextChanges,
  type JobBill,
} from './what-if/bill.js';
export type { JobSelection } from './what-if/job-selection.js';
export {
  jobCheckSchema,
  releaseCheckMessageSchema,
  type DecisionDifference,
  type JobCheck,
  type ReleaseCheckMessage,
} from './what-if/release-check.js';
export { whatIfRequestSchema, type WhatIfRequest } from './what-if/what-if-request.js';
export {
  caseMessageSchema,
  caseRequestSchema,
  type AddCaseRequest,
  type CaseMessage,
  type CaseRequest,
  type CaseResult,
  type RunCasesRequest,
} from './cases/case-run.js';
export {
  learningActions,
  learningReasons,
  learningTraceScopes,
  learningTraceSources,
  learningTraceTypes,
  MAX_TRACE_TEXT,
  STORE_TRACE,
} from './learning/learning-codes.js';
export type {
  LearningAction,
  LearningReason,
  LearningTraceScope,
  LearningTraceSource,
  LearningTraceType,
} from './learning/learning-codes.js';
