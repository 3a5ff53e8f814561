export { addLag, type LagUnit } from './calendar/add-lag.js';
export type { CalendarSpec, ClockSpan } from './calendar/calendar-spec.js';
export { expandRecurrence, MAX_OCCURRENCES, type Recurrence, RecurrenceError } from './calendar/expand-recurrence.js';
export {
  type DayNumber,
  formatDay,
  formatInstant,
  getWeek,
  getWeekday,
  type Instant,
  type Interval,
  parseDay,
  parseInstant,
} from './calendar/instant.js';
export { joinIntervals } from './calendar/join-intervals.js';
export { splitByDay } from './calendar/split-by-day.js';
export { WorkingCalendar } from './calendar/working-calendar.js';
export { analyzeNetwork, type NetworkAnalysis, type TaskAnalysis } from './network/analyze-network.js';
export type { Contradiction } from './network/find-contradictions.js';
export {
  type Link,
  type LinkKind,
  linkKinds,
  type Network,
  type NetworkTask,
  type TaskDates,
} from './network/network.js';
export { applyRelaxation } from './schedule/apply-relaxation.js';
export { checkProof } from './schedule/check-proof.js';
export { checkSchedule } from './schedule/check-schedule.js';
export { scheduleRules, type ScheduleViolation } from './schedule/schedule-violation.js';
export { type FlatProblem, type FlatTask, flattenProblem } from './schedule/flat-problem.js';
export { generateSchedule, MAX_PLACEMENTS } from './schedule/generate-schedule.js';
export type {
  Argument,
  Proof,
  RefutedOrder,
  Relaxation,
  PlacedSchedule,
  ScheduleAnswer,
  PlacedTask,
} from './schedule/schedule.js';
export {
  type Capacity,
  type ScheduleProblem,
  type ScheduleTask,
  SLOT_MINUTES,
  type PlacementProfile,
  type TaskSeries,
} from './schedule/schedule-problem.js';
export { adaptationLogEntrySchema, artifactKinds } from './artifacts/adaptation-log-entry.js';
export type { AdaptationLogEntry, ArtifactKind } from './artifacts/adaptation-log-entry.js';
export { buildPublishedJsonSchema, publishedSchemas } from './artifacts/artifact-json-schemas.js';
export type { PublishedSchemaName } from './artifacts/artifact-json-schemas.js';
export { computeContentHash } from './artifacts/content-hash.js';
export type { HashText } from './artifacts/content-hash.js';
export {
  contentHashSchema,
  MAX_DEPENDENCIES,
  MAX_ESTIMATE_MINUTES,
  MAX_NODES,
  nodeIdSchema,
  zoneSchema,
} from './artifacts/fields.js';
export { nodeKinds, nodeLevels, nodeTimes, toNodeKind } from './artifacts/node-kind.js';
export type { NodeKind, NodeLevel, NodeTime } from './artifacts/node-kind.js';
export {
  canonicalPatterns,
  introducers,
  isProposal,
  patternSpecSchema,
  proposedNameSchema,
} from './artifacts/pattern-spec.js';
export type { CanonicalPattern, Introducer, PatternName, PatternSpec } from './artifacts/pattern-spec.js';
export { planContextSchema, capacitySchema, workingCalendarSchema } from './artifacts/plan-context.js';
export type { PlanContext } from './artifacts/plan-context.js';
export { measureSchema, outlineNodeSchema, planOutlineSchema } from './artifacts/plan-outline.js';
export type { Measure, OutlineNode, PlanOutline } from './artifacts/plan-outline.js';
export { roadmapContextSchema, upcastRoadmapContext } from './artifacts/roadmap-context.js';
export type { RoadmapContext } from './artifacts/roadmap-context.js';
export { dependencyKinds, dependencySchema, roadmapPhaseSchema, roadmapSchema } from './artifacts/roadmap.js';
export type { Dependency, DependencyKind, Roadmap, RoadmapPhase } from './artifacts/roadmap.js';
export { scheduledTaskSchema, scheduleSchema } from './artifacts/schedule.js';
export type { Schedule, ScheduledTask } from './artifacts/schedule.js';
export { toSnakeCaseSchema } from './artifacts/snake-case-schema.js';
export { toCamelCase, toCamelKey, toSnakeCase, toSnakeKey } from './artifacts/snake-case.js';
export { DEFAULT_STRATEGY_PROFILE, strategyProfileSchema, weekdays } from './artifacts/strategy-profile.js';
export type { StrategyProfile, Weekday } from './artifacts/strategy-profile.js';
export { computeConfidence, findBand } from './confidence/compute-confidence.js';
export type { HeuristicValues, StageConfidence } from './confidence/compute-confidence.js';
export { confidenceBands } from './confidence/confidence-band.js';
export type { ConfidenceBand } from './confidence/confidence-band.js';
export {
  confidenceSettingsSchema,
  DEFAULT_CONFIDENCE_SETTINGS,
  heuristicNames,
} from './confidence/confidence-settings.js';
export type { ConfidenceSettings, HeuristicName } from './confidence/confidence-settings.js';
export { measureHeuristics } from './confidence/measure-heuristics.js';
export { applyPatch, patchOperationSchema } from './grammar/json-patch.js';
export type { PatchOperation } from './grammar/json-patch.js';
export { isTaskLevel, OutlineTree } from './grammar/outline-tree.js';
export type { OutlineCheck } from './grammar/outline/outline-check.js';
export { validateOutline } from './grammar/outline/validate-outline.js';
export { findRecurrenceProblem, hasRecurrenceEnd } from './grammar/recurrence-rule.js';
export { findDependencyCycle } from './grammar/roadmap/find-dependency-cycle.js';
export type { RoadmapCheck } from './grammar/roadmap/roadmap-check.js';
export { validateRoadmap } from './grammar/roadmap/validate-roadmap.js';
export type { ScheduleCheck } from './grammar/schedule/schedule-check.js';
export { validateSchedule } from './grammar/schedule/validate-schedule.js';
export { applyFix, applySuggestedFixes } from './grammar/validate-artifact.js';
export type { ValidationOutcome, ValidationReport } from './grammar/validate-artifact.js';
export { toValidatorResult } from './grammar/validator-result.js';
export type { SuggestedFix, ValidatorResult } from './grammar/validator-result.js';
export { computeValidatorScore, severities, violationCodes, violationKinds } from './grammar/violation-kinds.js';
export type { Severity, ValidatedKind, ViolationCode, ViolationKind } from './grammar/violation-kinds.js';
export { violationSchema } from './grammar/violation.js';
export type { Fix, Violation } from './grammar/violation.js';
export { findGrammar } from './patterns/find-grammar.js';
export { findMirrorDifferences } from './patterns/find-mirror-differences.js';
export type { MirrorDifference } from './patterns/find-mirror-differences.js';
export { findPatternProblems } from './patterns/find-pattern-problems.js';
export { featureNames, patternDefinitionSchema, PATTERNS_DIRECTORY } from './patterns/pattern-definition.js';
export type {
  FeatureName,
  PatternDefinition,
  PatternGrammar,
  SubtypeDefinition,
} from './patterns/pattern-definition.js';
export {
  decideProposal,
  DEFAULT_PROPOSAL_SETTINGS,
  getProposalKey,
  proposalSchema,
  proposalSettingsSchema,
} from './patterns/proposal.js';
export type {
  Proposal,
  ProposalDecision,
  ProposalProblem,
  ProposalRecord,
  ProposalSettings,
} from './patterns/proposal.js';
export { rankPatterns } from './patterns/rank-patterns.js';
export type { GoalFeatures, PatternRanking, RankedPattern } from './patterns/rank-patterns.js';
export { patternRequestSchema, selectPattern } from './patterns/select-pattern.js';
export type { PatternRequest, PatternSelection, TenantPatterns } from './patterns/select-pattern.js';
export { approvalSubjects, needsApproval } from './policy/approval-cadence.js';
export type { ApprovalSubject } from './policy/approval-cadence.js';
export { countOptions, isBrainstormerOffered } from './policy/ideas.js';
export {
  DEFAULT_INTERACTION_POLICY,
  interactionPolicySchema,
  policyOverridesSchema,
  resolvePolicy,
} from './policy/interaction-policy.js';
export type { InteractionPolicy, PolicyOverrides } from './policy/interaction-policy.js';
export { decidesPerson, selectQuestions, shouldAskStyle } from './policy/interview.js';
export type { CandidateQuestion, PlannerDecision, QuestionSelection } from './policy/interview.js';
export { getMessageStyle } from './policy/message-style.js';
export type { MessageStyle } from './policy/message-style.js';
export { analyzePlanNetwork } from './stage/analyze-plan-network.js';
export { applyRelaxationToPlan, type RelaxedPlan } from './stage/apply-relaxation-to-plan.js';
export { buildScheduleProblem } from './stage/build-schedule-problem.js';
export { describeConflict } from './stage/describe-conflict.js';
export { describeRelaxation } from './stage/describe-relaxation.js';
export type { PlanArtifacts, PlanInput } from './stage/plan-input.js';
export { type ScheduledPlan, toSchedule } from './stage/to-schedule.js';
export { assessContext, type ContextOutcome } from './session/assess-context.js';
export { assessDraft, type AssessedDraft, type DraftDecision, type DraftOutcome } from './session/assess-draft.js';
export { decideValidation, type ValidatedDraft, type ValidatedOutcome } from './session/decide-validation.js';
export { type Decision, waitForPerson } from './session/decision.js';
export { type ChangeCause, describeOutlineChange, describeRoadmapChange } from './session/describe-change.js';
export type { DraftedPlan } from './session/drafted-plan.js';
export { type AnswerOutcome, followAnswer, isStop } from './session/follow-answer.js';
export { type ApprovalEnd, type ApprovalOutcome, followApproval } from './session/follow-approval.js';
export { openContext, openSession } from './session/open-session.js';
export { type PendingQuestion, pendingQuestionSchema } from './session/pending-question.js';
export { type PlanRequest, planRequestSchema } from './session/plan-request.js';
export { addMessage, type PlanningStatus, planningStatuses, type PlanSession, planSessionSchema } from './session/plan-session.js';
export { type DraftStage, draftStages, type PlanStage, planStages } from './session/plan-stage.js';
export { type PlanningSettings, planningSettingsSchema } from './session/planning-settings.js';
export { listAnswerOptions, renderQuestion } from './session/render-question.js';
export {
  findMissingPrerequisites,
  orderTools,
  type PlanningTool,
  type Product,
  type ToolOrder,
  toolOrders,
} from './session/tool-order.js';
export { fixStage, validateStage } from './session/validate-stage.js';
export type { ExportedPlan } from './export/list-planned-tasks.js';
export { type CalendarFilePlan, renderCalendarFile } from './export/render-calendar-file.js';
export { type GanttPlan, renderGantt } from './export/render-gantt.js';
export { renderScheduleTable } from './export/render-schedule-table.js';
