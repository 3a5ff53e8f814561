import type { JobId } from '@phaseline/contracts';
import { evolveJobView } from '../jobs/evolve-job-view.js';
import { jobsModel, viewToRow } from '../jobs/job-rows.js';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import { addCosts, costsModel, type CostRow } from '../models/costs.js';
import { addDecisions, decisionsModel, type DecisionRow } from '../models/decisions.js';
import { addPatternDecisions, patternDecisionsModel, type PatternDecisionRow } from '../models/pattern-decisions.js';
import { evolvePhases, phasesModel, type PhaseRow } from '../models/phases.js';
import { evolvePlans, plansModel, type PlanRow } from '../models/plans.js';
import {
  evolvePreferenceQuestions,
  preferenceQuestionsModel,
  type PreferenceQuestionRow,
} from '../models/preference-questions.js';
import { addQueueDepth, queueDepthModel, type QueueDepthRow } from '../models/queue-depth.js';
import type { ReadModel, ReadModelName, Row } from '../models/read-model.js';
import { Rows } from '../models/rows.js';
import {
  replaceScheduledTasks,
  scheduledTasksModel,
  type ScheduleContents,
  type ScheduledTaskRow,
} from '../models/scheduled-tasks.js';
import { evolveAssessments, stageAssessmentsModel, type StageAssessmentRow } from '../models/stage-assessments.js';
import { evolveToolCalls, toolCallsModel, type ToolCallRow } from '../models/tool-calls.js';

export const readModels: Readonly<Record<ReadModelName, ReadModel>> = {
  jobs: jobsModel,
  phases: phasesModel,
  tool_calls: toolCallsModel,
  costs: costsModel,
  queue_depth: queueDepthModel,
  decisions: decisionsModel,
  plans: plansModel,
  scheduled_tasks: scheduledTasksModel,
  pattern_decisions: patternDecisionsModel,
  preference_questions: preferenceQuestionsModel,
  stage_assessments: stageAssessmentsModel,
};

/**
 * Folds events of some jobs into all read models, in memory. Every row belongs to one job and depends only on that
 * job's events, so jobs may be folded in any order and in parallel.
 *
 * Rows of models with sums start at zero here, regardless of the table: they are increments.
 */
export class Fold {
  readonly jobs = new Rows<JobView>();
  readonly phases = new Rows<PhaseRow>();
  readonly toolCalls = new Rows<ToolCallRow>();
  readonly costs = new Rows<CostRow>();
  readonly queueDepth = new Rows<QueueDepthRow>();
  readonly decisions = new Rows<DecisionRow>();
  readonly plans = new Rows<PlanRow>();
  /** Tasks of the plans whose schedule changed. They replace all tasks of the plan. */
  readonly scheduledTasks = new Map<JobId, readonly ScheduledTaskRow[]>();
  readonly patternDecisions = new Rows<PatternDecisionRow>();
  readonly preferenceQuestions = new Rows<PreferenceQuestionRow>();
  /** Assessments by plan. */
  readonly assessments = new Rows<readonly StageAssessmentRow[]>();

  /** `schedules`: the contents of the schedules that the events record. */
  constructor(private readonly schedules: ScheduleContents) {}

  /** Applies one event. An event that the rows of its job already include changes nothing. */
  apply(change: ViewChange): void {
    const before = this.jobs.get(change.jobId);
    const after = evolveJobView(before, change);
    if (after === before) return;
    this.jobs.set(change.jobId, after);
    evolvePhases(this.phases, change);
    evolveToolCalls(this.toolCalls, before, change);
    addCosts(this.costs, after, change);
    addQueueDepth(this.queueDepth, before, after, change);
    addDecisions(this.decisions, after, change);
    evolvePlans(this.plans, after, change);
    replaceScheduledTasks(this.scheduledTasks, this.schedules, after, change);
    addPatternDecisions(this.patternDecisions, after, change);
    evolvePreferenceQuestions(this.preferenceQuestions, after, change);
    evolveAssessments(this.assessments, this.phases, after, change);
  }

  /** Returns the changed rows of a model. */
  rows(name: ReadModelName): readonly Row[] {
    switch (name) {
      case 'jobs':
        return [...this.jobs.changed.values()].map(viewToRow);
      case 'phases':
        return listChanged(this.phases);
      case 'tool_calls':
        return listChanged(this.toolCalls);
      case 'costs':
        return listChanged(this.costs);
      case 'queue_depth':
        return listChanged(this.queueDepth);
      case 'decisions':
        return listChanged(this.decisions);
      case 'plans':
        return listChanged(this.plans);
      case 'scheduled_tasks':
        return toRows([...this.scheduledTasks.values()].flat());
      case 'pattern_decisions':
        return listChanged(this.patternDecisions);
      case 'preference_questions':
        return listChanged(this.preferenceQuestions);
      case 'stage_assessments':
        return toRows([...this.assessments.changed.values()].flat());
    }
  }
}

const listChanged = (rows: { readonly changed: ReadonlyMap<string, object> }): readonly Row[] =>
  toRows([...rows.changed.values()]);

// Row types have no index signature, so they are not assignable to a row of any table.
const toRows = (rows: readonly object[]): readonly Row[] => rows as unknown as Row[];
