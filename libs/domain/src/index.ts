export {
  agentDefinitionSchema,
  approvalsSchema,
  budgetsSchema,
  contextSettingsSchema,
  phaseLimitsSchema,
  requiredInputsSchema,
} from './agent/agent-definition.js';
export { JOB_COMPLETE, listOfferedTools, TODO_REWIND } from './agent/list-offered-tools.js';
export { READ_SKILL, skillPath, SKILLS_DIRECTORY, skillSchema } from './agent/skill.js';
export type { Skill } from './agent/skill.js';
export type {
  AgentDefinition,
  Approvals,
  Budgets,
  ContextSettings,
  PhaseLimits,
  RequiredInputs,
} from './agent/agent-definition.js';
export { addSpending, addUnconfirmed, NOTHING_SPENT, NOTHING_UNCONFIRMED } from './budget/spending.js';
export type { Spending, Unconfirmed } from './budget/spending.js';
export type { PromptLayers } from './conversation/prompt-layers.js';
export { buildModelAwaited, canAwaitModel } from './phase/await-model.js';
export { buildPhaseMessage, buildTimerMessage, buildToolMessage } from './dispatch/messages.js';
export { assertReadable, type EventToAppend } from './event/assert-readable.js';
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
export { isFromNewerRelease, UndecodableEvent } from './event/undecodable-event.js';
export type { StoredEvent } from './event/undecodable-event.js';
export type { Upcasters } from './event/upcast.js';
export { defineEvent } from './event/define-event.js';
export type { EventDefinition } from './event/define-event.js';
export { forkJob } from './fork/fork-job.js';
export type { ForkDecision, ForkPoint, ForkRequest } from './fork/fork-job.js';
export { editedResponseSchema } from './fork/fork-mode.js';
export type { EditedResponse, Recording } from './fork/fork-mode.js';
export { limitChangesSchema, modelChangesSchema } from './fork/job-forked.js';
export type { LimitChanges, ModelChanges } from './fork/job-forked.js';
export { checkGates } from './gate/check-gates.js';
export type { GateResult } from './gate/check-gates.js';
export type { GateInput } from './gate/gate-input.js';
export { controlJob } from './job/control-job.js';
export type { ControlDecision, ControlRequest } from './job/control-job.js';
export { decideJob } from './job/decide-job.js';
export type { JobDecision } from './job/decide-job.js';
export type { NextPhase } from './job/dispatch-phase.js';
export { jobEndTypes, jobEventDefinitions } from './job/job-events.js';
export type { Failure, JobEvent, JobEventData, JobEventType } from './job/job-events.js';
export { evolveJob, foldJob } from './job/evolve-job.js';
export { findDecidingPhase, hasJobEnded, jobStatuses } from './job/job-state.js';
export type { ActivePhase, Fork, JobDefinition, JobState, JobStatus, LastPhase, Timer } from './job/job-state.js';
export { describeWaiter } from './job/describe-waiter.js';
export { listAwaitedMessages, findWaiter } from './job/waiter.js';
export type { AwaitedMessage, Waiter, WaiterFacts } from './job/waiter.js';
export {
  isUnloaded,
  loadNamedTools,
  listOnDemandTools,
  SEARCH_TOOLS,
  listToolsInPrompt,
} from './discovery/on-demand-tools.js';
export { OWN_TOOLS, groupTools } from './discovery/tool-categories.js';
export type { CategoryTool, ToolCategory } from './discovery/tool-categories.js';
export { admitCall } from './phase/admit-call.js';
export type { ParsedArguments, ToolLookup } from './phase/admit-call.js';
export { advancePhase, buildPhaseFailed } from './phase/advance-phase.js';
export { listClaimedDeliverables, listNeededFiles, findPendingOutcome } from './phase/pending-outcome.js';
export type { Advance } from './phase/advance-phase.js';
export { admitNestedCall, listNestedCalls, RUN_SCRIPT } from './phase/nested-calls.js';
export type { NestedCallRequest } from './phase/nested-calls.js';
export { isAwaitingApproval, dueWork } from './phase/due-work.js';
export type { DueWork } from './phase/due-work.js';
export { evolvePhase, foldPhase } from './phase/evolve-phase.js';
export { completionSchema, phaseEndTypes, phaseEventDefinitions } from './phase/phase-events.js';
export type {
  Allowance,
  Completion,
  DenialCode,
  PhaseEvent,
  PhaseEventData,
  PhaseEventType,
  PhaseFailureCode,
} from './phase/phase-events.js';
export { listCalls, findClearedCalls, hasCallEnded, listLastAnswerCalls } from './phase/phase-state.js';
export type {
  CallState,
  ApprovalDecision,
  OpenModelCall,
  PhaseEnd,
  PhaseState,
  TranscriptEntry,
} from './phase/phase-state.js';
export { checkModelCallCaps } from './phase/check-model-call-caps.js';
export type { CallEstimate } from './phase/check-model-call-caps.js';
export { addExperience, MAX_EXPERIENCE_CHARACTERS, EXPERIENCES_FILE, deriveExperience } from './memory/experience.js';
export type { Experience, ExperienceKind } from './memory/experience.js';
export { experienceKinds } from './memory/experience-events.js';
export { addItem, listItems, toItemText, setSection } from './memory/markdown-list.js';
export { redactEvent } from './redact/redact-event.js';
export { REDACTED_HASH, REDACTED_TEXT } from './redact/redactor.js';
export { isEncryptedJob } from './redact/encrypted-job-id.js';
export { advanceOrUnstick } from './stuck/advance-or-unstick.js';
export { climbLadder, getStuckSettings } from './stuck/climb-ladder.js';
export { detectStuck } from './stuck/detect-stuck.js';
export type { StuckFinding } from './stuck/detect-stuck.js';
export type { ProgressWatch } from './stuck/watched-step.js';
export { DEFAULT_STUCK_SETTINGS, stuckPatterns, stuckRungs, stuckSettingsSchema } from './stuck/stuck-settings.js';
export type { StuckPattern, StuckRung, StuckSettings } from './stuck/stuck-settings.js';
export { ALLOWED_AFTER_END } from './stream/after-end.js';
export { jobStream, parseStreamName, phaseStream } from './stream/stream-name.js';
export type { StreamName } from './stream/stream-name.js';
export { canRewind, DEFAULT_MAX_REWINDS } from './phase/rewind.js';
export { readPlanProgress } from './todo/main-plan.js';
export { describeObligations, obligationRef, resolveObligationRef, findUncovered } from './todo/obligation.js';
export type { Obligation } from './todo/obligation.js';
export type { RewindReason } from './todo/todo-events.js';
export { getCompletingTool } from './todo/completing-tool.js';
export { nextTodoId, todosInProgress } from './todo/todo-list.js';
export { currentTodo, openTodos, createTodos } from './todo/todo.js';
export type { Todo } from './todo/todo.js';
export { ARCHIVE_DIRECTORY, archivePath, renderArchive } from './todo/todo-archive.js';
export { checkTodosFile, renderPlanComplete, renderTodosFile, isPlanComplete, TODOS_FILE } from './todo/todos-file.js';
export { MAIN_PLAN_FILE } from './todo/main-plan.js';
export type { TodoLimits, TodoPlan, TodosFileResult } from './todo/todos-file.js';
export { isStoredResult, RESULTS_DIRECTORY, resultPath } from './tool-call/stored-result.js';
export { gateNames, phaseKinds, workflowSchema } from './workflow/workflow.js';
export type { GateName, PhaseKind, Transition, Workflow, WorkflowState } from './workflow/workflow.js';
