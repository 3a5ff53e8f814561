export { type AdaptationLogEntry, type ArtifactKind, artifactKinds } from './artifacts/adaptation-log-entry.js';
export { MAX_DEPENDENCIES, MAX_ESTIMATE_MINUTES, MAX_NODES } from './artifacts/fields.js';
export { nodeLevels, nodeTimes } from './artifacts/node-kind.js';
export { type PlanContext, planContextSchema } from './artifacts/plan-context.js';
export { type OutlineNode, type PlanOutline, planOutlineSchema } from './artifacts/plan-outline.js';
export {
  type Dependency,
  dependencyKinds,
  dependencySchema,
  type Roadmap,
  roadmapSchema,
} from './artifacts/roadmap.js';
export { scheduleSchema } from './artifacts/schedule.js';
export { toCamelCase, toSnakeCase, toSnakeKey } from './artifacts/snake-case.js';
export { weekdays } from './artifacts/strategy-profile.js';
export { formatInstant, type Interval, parseInstant } from './calendar/instant.js';
export { WorkingCalendar } from './calendar/working-calendar.js';
export { computeBands, computeCalibration } from './confidence/calibration.js';
export { computeConfidence, type StageConfidence } from './confidence/compute-confidence.js';
export { measureHeuristics } from './confidence/measure-heuristics.js';
export { renderCalendarFile } from './export/render-calendar-file.js';
export { renderGantt } from './export/render-gantt.js';
export { renderScheduleTable } from './export/render-schedule-table.js';
export { toValidatorResult } from './grammar/validator-result.js';
export { type ViolationKind, violationKinds } from './grammar/violation-kinds.js';
export type { NetworkAnalysis } from './network/analyze-network.js';
export { findMirrorDifferences } from './patterns/find-mirror-differences.js';
export { patternSpecSchema } from './artifacts/pattern-spec.js';
export { findPatternProblems } from './patterns/find-pattern-problems.js';
export {
  featureNames,
  type PatternDefinition,
  patternDefinitionSchema,
  PATTERNS_DIRECTORY,
} from './patterns/pattern-definition.js';
export { getProposalKey } from './patterns/proposal.js';
export {
  type PatternRequest,
  patternRequestSchema,
  type PatternSelection,
  selectPattern,
} from './patterns/select-pattern.js';
export { memoRules, type MemoParts } from './memo/memo-rules.js';
export {
  computeMemoKey,
  type MemoEntry,
  type PlanMemo,
  planMemoSchema,
  recallAnswer,
  rememberAnswer,
} from './memo/plan-memo.js';
export { countOptions, isBrainstormerOffered } from './policy/ideas.js';
export { resolvePolicy } from './policy/interaction-policy.js';
export { type CandidateQuestion, selectQuestions, shouldAskStyle } from './policy/interview.js';
export { getMessageStyle } from './policy/message-style.js';
export { describeAllowedValues, findPreferenceKey, parsePreference } from './policy/parse-preference.js';
export {
  DEFAULT_PREFERENCES,
  mergePreferences,
  preferenceChangesSchema,
  type PreferenceKey,
  preferenceKeys,
  readPreferences,
} from './policy/user-preferences.js';
export { describePortfolioConflict } from './portfolio/describe-portfolio-conflict.js';
export { findPortfolioConflicts } from './portfolio/find-portfolio-conflicts.js';
export { listOwnWork } from './portfolio/list-own-work.js';
export { listWork } from './portfolio/list-work.js';
export { measureUtilisation } from './portfolio/measure-utilisation.js';
export { MAX_BUSY_TIMES, type Portfolio, portfolioSchema, type PortfolioTask } from './portfolio/portfolio-task.js';
export { suggestShifts } from './portfolio/suggest-shifts.js';
export { checkProof } from './schedule/check-proof.js';
export { checkSchedule } from './schedule/check-schedule.js';
export { generateSchedule } from './schedule/generate-schedule.js';
export type { ScheduleProblem } from './schedule/schedule-problem.js';
export type { PlacedSchedule, Relaxation, ScheduleAnswer } from './schedule/schedule.js';
export { continueContext, continueGoal } from './session/continue-goal.js';
export { type EarlierPlan, earlierPlanSchema } from './session/earlier-plan.js';
export { assessContext } from './session/assess-context.js';
export { assessDraft, type DraftDecision } from './session/assess-draft.js';
export { decideValidation } from './session/decide-validation.js';
export { waitForPerson } from './session/decision.js';
export { shortenConversation, summarizeTurn } from './session/shorten-conversation.js';
export {
  type ChangeCause,
  describeContextChange,
  describeOutlineChange,
  describeRoadmapChange,
} from './session/describe-change.js';
export type { DraftedPlan } from './session/drafted-plan.js';
export { followAnswer, isApproved, isStop } from './session/follow-answer.js';
export { type ApprovalEnd, followApproval } from './session/follow-approval.js';
export { boundText } from './session/bound-text.js';
export { planPaths } from './session/plan-paths.js';
export { type ScheduleConflict, scheduleConflictSchema } from './session/schedule-conflict.js';
export { computeContentHash } from './artifacts/content-hash.js';
export { openContext, openSession } from './session/open-session.js';
export type { PendingQuestion } from './session/pending-question.js';
export { type PlanRequest, planRequestSchema } from './session/plan-request.js';
export { addMessage, type PlanSession, planSessionSchema } from './session/plan-session.js';
export { type DraftStage, draftStages, type PlanStage } from './session/plan-stage.js';
export { listAnswerOptions } from './session/render-question.js';
export { findMissingPrerequisites, type PlanningTool, type Product } from './session/tool-order.js';
export { fixStage, validateStage } from './session/validate-stage.js';
export { analyzePlanNetwork } from './stage/analyze-plan-network.js';
export { applyRelaxationToPlan } from './stage/apply-relaxation-to-plan.js';
export { buildScheduleProblem } from './stage/build-schedule-problem.js';
export { describeConflict } from './stage/describe-conflict.js';
export { describeRelaxation } from './stage/describe-relaxation.js';
export { buildCalendarSpec, buildWindow } from './stage/read-context.js';
export { toSchedule } from './stage/to-schedule.js';
export type { PlanArtifacts } from './stage/plan-input.js';
export { decideRunStep, type RunStep } from './run/advance-run.js';
export { type ApprovedPlan, approvedPlanSchema, findBrokenLink, hashPlan } from './artifacts/approved-plan.js';
export { Blockers } from './run/blockers.js';
export { endItem, type ItemEnd, replaceSchedule, retryItem, startItems } from './run/change-run.js';
export { describeItem, describeRunWait } from './run/describe-run.js';
export { readRunReply } from './run/follow-run-reply.js';
export { type PlanRun, planRunRequestSchema, planRunSchema } from './run/plan-run.js';
export { listPlanRecords } from './run/plan-graph-records.js';
export { listPlannedItems, type PlannedItem } from './run/planned-items.js';
export { createScheduleClock, type ScheduleClock } from './run/schedule-clock.js';
