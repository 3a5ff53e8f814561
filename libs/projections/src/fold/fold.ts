import { evolveJobView } from '../jobs/evolve-job-view.js';
import { jobsModel, rowOfView } from '../jobs/job-rows.js';
import type { JobView } from '../jobs/job-view.js';
import type { ViewChange } from '../log/view-events.js';
import { addCosts, costsModel, type CostRow } from '../models/costs.js';
import { evolvePhases, phasesModel, type PhaseRow } from '../models/phases.js';
import { addQueueDepth, queueDepthModel, type QueueDepthRow } from '../models/queue-depth.js';
import type { ReadModel, ReadModelName, Row } from '../models/read-model.js';
import { Rows } from '../models/rows.js';
import { evolveToolCalls, toolCallsModel, type ToolCallRow } from '../models/tool-calls.js';

export const readModels: Readonly<Record<ReadModelName, ReadModel>> = {
  jobs: jobsModel,
  phases: phasesModel,
  tool_calls: toolCallsModel,
  costs: costsModel,
  queue_depth: queueDepthModel,
};

/**
 * All read models of some jobs at once, in memory. Every row belongs to one job and depends on that job's events alone, so
 * jobs may be folded in any order, and any number of them beside each other.
 *
 * Rows of models that sum up begin at nothing here, whatever their table holds: they say how much more.
 */
export class Fold {
  readonly jobs = new Rows<JobView>();
  readonly phases = new Rows<PhaseRow>();
  readonly toolCalls = new Rows<ToolCallRow>();
  readonly costs = new Rows<CostRow>();
  readonly queueDepth = new Rows<QueueDepthRow>();

  /** Folds one event in. What is in the rows of its job already changes nothing. */
  apply(change: ViewChange): void {
    const before = this.jobs.get(change.jobId);
    const after = evolveJobView(before, change);
    if (after === before) return;
    this.jobs.set(change.jobId, after);
    evolvePhases(this.phases, change);
    evolveToolCalls(this.toolCalls, before, change);
    addCosts(this.costs, after, change);
    addQueueDepth(this.queueDepth, before, after, change);
  }

  /** The rows of a model that have changed, by column. */
  rows(name: ReadModelName): readonly Row[] {
    switch (name) {
      case 'jobs':
        return [...this.jobs.changed.values()].map(rowOfView);
      case 'phases':
        return [...this.phases.changed.values()] as unknown as Row[];
      case 'tool_calls':
        return [...this.toolCalls.changed.values()] as unknown as Row[];
      case 'costs':
        return [...this.costs.changed.values()] as unknown as Row[];
      case 'queue_depth':
        return [...this.queueDepth.changed.values()] as unknown as Row[];
    }
  }
}
