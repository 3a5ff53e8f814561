export { agentDefinitionSchema, budgetsSchema, listToolGroups } from './agent/agent-definition.js';
export { listOfferedTools, TODO_REWIND } from './agent/list-offered-tools.js';
export { getStateAgent, listAgents } from './agent/state-agents.js';
export { agentInstructionsPath, INSTRUCTIONS_DIRECTORY, INSTRUCTIONS_FILE } from './return/agent-instructions.js';
export { findReturnProblem, isEarlyReturn, listReturnableOutcomes } from './return/find-return-problem.js';
export { PHASE_RETURN } from './return/return-settings.js';
export { VERIFIERS_DIRECTORY } from './agent/stored-verifier.js';
export { READ_SKILL, skillPath, SKILLS_DIRECTORY, skillSchema, VOCABULARIES_DIRECTORY } from './agent/skill.js';
export { type StartWhen } from './agent/start-when.js';
export { DELEGATE, DELEGATED_DIRECTORY, MAX_DELEGATION_DEPTH, MAX_OPEN_CHILD_JOBS } from './delegation/delegate.js';
export { computeChildShare } from './delegation/child-share.js';
export type { ChildJob } from './phase/state/calls.js';
export type { DelegatedBy, FollowOn } from './job/job-origin.js';
export type { Skill } from './agent/skill.js';
export type { AgentDefinition, AgentDefinitionInput, Budgets, RequiredInputs } from './agent/agent-definition.js';
export { errorReportPath, ERRORS_DIRECTORY } from './agent/tool-failures.js';
export { contextSettingsSchema, DEFAULT_WORKSPACE_SETTINGS, pickAgentSettings } from './agent/agent-settings.js';
export { MAX_PROMPT_CHARACTERS } from './agent/agent-settings.js';
export type { ContextSettings, PhaseLimits, WorkspaceSettings } from './agent/agent-settings.js';
export type { FileMode, FileOrigin } from './phase/file-events.js';
export { getReservedReason, SOURCES_DIRECTORY } from './workspace/reserved-files.js';
export { listJobFiles } from './job/edit-workspace.js';
export { COMPLETION_FILE, renderCompletionFile } from './completion/completion-file.js';
export type { FileEdit } from './job/edit-workspace.js';
export { addSpending, addUnconfirmed, NOTHING_SPENT, NOTHING_UNCONFIRMED } from './budget/spending.js';
export type { Spending } from './budget/spending.js';
export { narrowLimits } from './budget/job-limits.js';
export { type TurnLimits, turnLimitsSchema } from './budget/turn.js';
export type { PromptLayers } from './conversation/prompt-layers.js';
export { buildModelAwaited, canAwaitModel } from './phase/await-model.js';
export { buildPhaseMessage, buildTimerMessage, buildToolMessage } from './dispatch/messages.js';
export { assertReadable } from './event/assert-readable.js';
export { createMemberDecoder } from './event/decode-members.js';
export {
  decodeJobEvent,
  decodePhaseEvent,
  listEventVersions,
  getSchemaVersion,
  currentCatalogues,
} from './event/decode-event.js';
export type { EventCatalogues } from './event/decode-event.js';
export { EventCatalogue } from './event/event-catalogue.js';
export { isFromNewerRelease, passOverUndecodable, UndecodableEvent } from './event/undecodable-event.js';
export { defineEvent } from './event/define-event.js';
export type { EventDefinition } from './event/define-event.js';
export { forkJob } from './fork/fork-job.js';
export type { ForkPoint } from './fork/fork-job.js';
export { editedResponseSchema } from './fork/fork-mode.js';
export type { EditedResponse } from './fork/fork-mode.js';
export { findUnrecordedProblem } from './fork/check-unrecorded.js';
export type { FindToolSpec } from './fork/check-unrecorded.js';
export { chooseUnrecordedPolicy } from './fork/unrecorded-policy.js';
export { NOT_RECORDED } from './phase/failure-codes.js';
export { limitChangesSchema } from './fork/job-forked.js';
export type { LimitChanges, ModelChanges } from './fork/job-forked.js';
export { getDeliverablePath } from './agent/deliverable.js';
export { guardFileSchema, guardFileSchemas, GUARDS_DIRECTORY, type GuardFile } from './guard/guard-file.js';
export {
  commandBodySchema,
  GUARD_SET_FILE,
  GUARD_SET_FILES,
  GUARD_SETS_DIRECTORY,
  guardSetFolder,
  guardSetSchema,
  guardSetSchemas,
  type CommandBody,
  type GuardSet,
} from './guard/guard-set.js';
export { addSharedGuards, getNextDefinition } from './job/dispatch-phase.js';
export { parseGuard, type Guard } from './guard/guard.js';
export { planGuardRuns, toGuardRef, type GuardRun } from './guard/guard-runs.js';
export type { GuardWait } from './phase/state/guard-waits.js';
export { CALL_POINTS, guardDecisions } from './guard/guard-vocabulary.js';
export {
  ruleActionSchemas,
  ruleConditionSchemas,
  ruleFileSchema,
  ruleSchema,
  scriptBodySchema,
  type Rule,
  type RuleCondition,
  type RuleFile,
} from './guard/rule.js';
export { fillTemplate, fillText, type TemplateValues } from './guard/template.js';
export { admitGuardedCall, DEFAULT_APPROVAL_EXPIRY_MS, type GuardedAdmission } from './guard/admit-guarded-call.js';
export {
  addGuardVersion,
  promoteGuard,
  recordBacktest,
  rollBackGuard,
  type GuardChange,
  type PromotionRequest,
} from './guard/registry/decide-guard-change.js';
export {
  evolveGuard,
  findVersion,
  findVersionInStage,
  listGuardsInForce,
  NO_GUARD,
  toGuard,
  type GuardHistory,
  type GuardVersion,
} from './guard/registry/guard-history.js';
export { findExceededLimit, type GuardOutcomes } from './guard/registry/exceeded-limit.js';
export { findPointProblem, parseStoredGuard, type ParsedStoredGuard } from './guard/registry/parse-stored-guard.js';
export type { GuardRegistryEvent } from './guard/registry/registry-events.js';
export {
  foldScope,
  promoteTrace,
  withdrawTrace,
  type PromotionDecision,
  type PromotedTrace,
} from './learning/decide-promotion.js';
export { addPrecedents } from './learning/add-precedents.js';
export { MAX_PRECEDENTS, type Precedent } from './learning/precedent.js';
export { promotionEventTypes, type PromotionEvent } from './learning/promotion-events.js';
export { listCurrentOverrides } from './guard/current-overrides.js';
export {
  buildGuardFailure,
  findGuardRefusal,
  isRefusedByGuard,
  renderGuardRefusal,
  type GuardRefusal,
} from './guard/guard-refusal.js';
export { findClaimedEnd, getEndPoint, refuseClaimedEnd } from './guard/refuse-end.js';
export { buildCheckInput, listNeededTexts } from './claim/claim-input.js';
export { findProtectedChange, listProtectionOf, type ProtectedField } from './workspace/protected-fields.js';
export { findUnacceptedWork } from './repository/find-unaccepted-work.js';
export type { ClaimSubject } from './phase/discipline-events.js';
export { AcceptedClaims, type AcceptedClaim } from './claim/accepted-claims.js';
export { deriveClaim, listClaimFiles } from './claim/derive-claim.js';
export {
  findOpenClaim,
  MAX_REASON_CHARACTERS,
  raiseClaim,
  readRunOutcomes,
  type ClaimRun,
} from './claim/claim-runs.js';
export { findJudge } from './judge/find-judge.js';
export { findDueReflection, findReflection } from './reflexion/due-reflection.js';
export { findReflectionProblem } from './reflexion/ground-reflection.js';
export type { LastAttempt } from './reflexion/last-attempt.js';
export type { ReflexionPart } from './reflexion/reflexion-events.js';
export type { ModelCallPurpose } from './phase/model-events.js';
export { DIFF_REVIEW } from '@phaseline/checks';
export { listChangedInputs } from './claim/claim-runs.js';
export { listClaimedChanges, type ClaimedChange } from './judge/claimed-changes.js';
export { findUndecidedPrompt, listSentNotices } from './phase/state/conversation.js';
export type { OpenClaim } from './phase/state/claims.js';
export { isSystemCall, listOpenSystemCalls, systemTools } from './claim/system-calls.js';
export type { ClaimTexts } from './claim/claim-input.js';
export { listPhaseChecks } from './claim/phase-claim.js';
export { buildTodoRefusal, evaluateTodoClaim, listDemandedFiles, listTodoChecks } from './claim/todo-claim.js';
export { listOutputPaths, readOutputs } from './todo/planned-outputs.js';
export { buildAddedRules, checkPlan, listPlannedChecks } from './claim/plan-rules.js';
export type { GateInput } from './gate/gate-input.js';
export { controlJob } from './job/control-job.js';
export type { ControlChecks, ControlRequest } from './job/control-job.js';
export type { ControlDecision } from './job/control-decision.js';
export {
  budgetStream,
  decideReservation,
  foldDailyBudget,
  getUsedMicroUsd,
  UNUSED_BUDGET,
  type BudgetEvent,
  type DailyBudget,
} from './budget/daily-budget.js';
export { EXPIRY_ACTOR } from './phase/expiry-actor.js';
export { listWaitEnds, refuseEndedWait, toEndedWait } from './job/ended-wait.js';
export { decideJob } from './job/decide-job.js';
export type { DecisionFiles, JobDecision } from './job/job-decision.js';
export { itemSchema, MAX_ITEMS, SUBMIT_FEATURES, type Item, type StoredItem } from './item/item.js';
export { findCurrentItem } from './item/job-items.js';
export { findItemProblems } from './item/find-item-problems.js';
export { findDeviations, INPUT_LIST, MAX_INPUT_LIST_BYTES, readInputList, toItems } from './item/input-list.js';
export type { InputList } from './item/input-list.js';
export { isLastAttempt } from './item/move-items.js';
export { renderItemFiles } from './item/render-items.js';
export { archivedPatchPath } from './item/roll-back.js';
export { findHash, listChangedFiles } from './phase/state/tree.js';
export type { NextPhase } from './job/dispatch-phase.js';
export { addTask, readTask, removeTask } from './job/task-of-instructions.js';
export { jobEndTypes, jobEventDefinitions } from './job/job-events.js';
export type { Failure, JobEvent, JobEventData, JobEventType } from './job/job-events.js';
export { evolveJob, foldJob } from './job/evolve-job.js';
export { findDecidingPhase, hasJobEnded } from './job/job-state.js';
export type { Fork, JobDefinition, JobState } from './job/job-state.js';
export { awaitsImport, listOpenOutputs, listRepositoryMessages } from './repository/repository-work.js';
export type { RepositoryOutput } from './repository/repository-state.js';
export { describeWaiter } from './job/describe-waiter.js';
export { listAwaitedMessages, findWaiter } from './job/waiter.js';
export type { AwaitedMessage, Waiter } from './job/waiter.js';
export { loadNamedTools, SEARCH_TOOLS, listToolsInPrompt } from './discovery/on-demand-tools.js';
export { OWN_TOOLS, groupTools } from './discovery/tool-categories.js';
export type { ToolCategory } from './discovery/tool-categories.js';
export { admitCall } from './phase/admit-call.js';
export type { ParsedArguments, ToolLookup } from './phase/admit-call.js';
export { listHealthOutcomes, requestHealthChecks } from './phase/check-health.js';
export { requestDecision } from './phase/control-phase.js';
export { advancePhase } from './phase/advance-phase.js';
export type { Advance } from './phase/advance.js';
export { buildPhaseFailed } from './phase/phase-failed.js';
export {
  listClaimedDeliverables,
  listNeededFiles,
  findPendingOutcome,
  listChoosingChecks,
} from './phase/pending-outcome.js';
export { admitNestedCall, listNestedCalls, RUN_SCRIPT } from './phase/nested-calls.js';
export type { NestedCallRequest } from './phase/nested-calls.js';
export { awaitsOthers, dueWork } from './phase/due-work.js';
export { evolvePhase, foldPhase } from './phase/evolve-phase.js';
export { phaseEndTypes, phaseEventDefinitions } from './phase/phase-events.js';
export type { Completion } from './phase/completion.js';
export type { PhaseEvent, PhaseEventData, PhaseEventType } from './phase/phase-events.js';
export { listCalls, findClearedCalls, listLastAnswerCalls } from './phase/phase-state.js';
export type { PhaseState } from './phase/phase-state.js';
export {
  getAdmittedCall,
  hasCallEnded,
  isAsking,
  isAwaitingApproval,
  isDelegating,
  isOpenCall,
} from './phase/state/calls.js';
export type { AdmittedCall, CallQuestion, CallState } from './phase/state/calls.js';
export type { TranscriptEntry } from './phase/state/transcript.js';
export { checkModelCallCaps, computeRemainingTurnMs } from './phase/check-model-call-caps.js';
export {
  ASK_PERSON,
  checkAgainstSchema,
  findQuestionProblem,
  parseDeadline,
  toHashedText,
} from './question/question.js';
export type { QuestionText } from './question/question.js';
export { addExperience, MAX_EXPERIENCE_CHARACTERS, EXPERIENCES_FILE, deriveExperience } from './memory/experience.js';
export type { ExperienceKind } from './memory/experience.js';
export { hookPoints, pointEffects, type GuardDecisionKind, type HookPoint } from './guard/guard-vocabulary.js';
export type { GuardOverride, GuardRef } from './guard/guard-events.js';
export { experienceKinds } from './memory/experience-events.js';
export { addItem, listItems, toItemText } from './memory/markdown-list.js';
export {
  FILES_HEADING,
  listFiles,
  listState,
  MAX_PURPOSE_CHARACTERS,
  MAX_PURPOSES,
  MEMORY_FILE,
  readPurposes,
  refreshSummary,
  setPurpose,
  STATE_HEADING,
} from './memory/workspace-summary.js';
export { renderPlanPlace } from './todo/plan-place.js';
export { redactEvent } from './redact/redact-event.js';
export { REDACTED_HASH, REDACTED_TEXT } from './redact/redactor.js';
export { isEncryptedJob } from './redact/encrypted-job-id.js';
export { advanceOrUnstick } from './stuck/advance-or-unstick.js';
export { detectStuck } from './stuck/detect-stuck.js';
export { DEFAULT_STUCK_SETTINGS, stuckPatterns, stuckSettingsSchema } from './stuck/stuck-settings.js';
export type { StuckPattern, StuckSettings } from './stuck/stuck-settings.js';
export { ALLOWED_AFTER_END } from './stream/after-end.js';
export { jobStream, parseStreamName, phaseStream } from './stream/stream-name.js';
export {
  findAdministrationCatalogue,
  getAdministrationVersion,
  guardStream,
  learningTraceStream,
  principalStream,
  deadLetterStream,
  retentionStream,
  preferencesStream,
  secretsStream,
} from './administration/administration-events.js';
export { principalEventTypes, type PrincipalEvent } from './administration/principal-events.js';
export type { SignInMethod } from './administration/session-events.js';
export type { DeadLetterEvent } from './administration/dead-letter-events.js';
export type { PreferencesChanged } from './administration/preference-events.js';
export { MAX_JOBS_PER_REMOVAL } from './administration/retention-setting-events.js';
export type { LearningTracesRemoved, RetentionSet } from './administration/retention-setting-events.js';
export type { SecretEvent } from './administration/secret-events.js';
export { readPlanProgress } from './todo/main-plan.js';
export { describeObligations, obligationRef } from './todo/obligation.js';
export { getCompletingTool } from './todo/completing-tool.js';
export { nextTodoId, todosInProgress } from './todo/todo-list.js';
export { foldTodos, todoEventTypes } from './phase/state/todos.js';
export { currentTodo, listBlockedTodos, openTodos, createTodos } from './todo/todo.js';
export type { Todo } from './todo/todo.js';
export { renderPhaseSummary } from './todo/phase-summary.js';
export { ARCHIVE_DIRECTORY, archivePath, renderArchive } from './todo/todo-archive.js';
export {
  checkTodosFile,
  findMissingNames,
  renderPlanComplete,
  renderTodosFile,
  TODOS_FILE,
} from './todo/todos-file.js';
export { MAIN_PLAN_FILE } from './todo/main-plan.js';
export type { TodoPlan } from './todo/todos-file.js';
export { RESULTS_DIRECTORY, resultPath } from './tool-call/stored-result.js';
export { phaseKinds, workflowSchema } from './workflow/workflow.js';
export type { PhaseKind, Workflow } from './workflow/workflow.js';
export { MAX_HASHES_PER_REMOVAL, RETENTION_ACTOR } from './job/retention-events.js';
