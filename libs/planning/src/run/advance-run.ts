import type { Instant } from '../calendar/instant.js';
import type { ApprovedPlan } from '../artifacts/approved-plan.js';
import { Blockers } from './blockers.js';
import { listPlannedItems, type PlannedItem } from './planned-items.js';
import type { PlanRun } from './plan-run.js';

/** What is to be done next for a plan that is carried out. */
export type RunStep =
  /** These tasks begin. */
  | { readonly kind: 'start'; readonly items: readonly PlannedItem[] }
  /** Agents do these tasks, which have begun. */
  | { readonly kind: 'delegate'; readonly items: readonly PlannedItem[] }
  /** These tasks of people count as done, because their planned end has passed. */
  | { readonly kind: 'end'; readonly items: readonly PlannedItem[] }
  /** Nothing is due. */
  | {
      readonly kind: 'wait';
      /** When something is due without a person; absent if a person has to act first. */
      readonly until?: Instant;
      /** Tasks that people do now. */
      readonly running: readonly PlannedItem[];
      /** Tasks at which an agent has failed. */
      readonly failed: readonly PlannedItem[];
      /** The first task that has not begun. */
      readonly next?: PlannedItem;
    }
  | { readonly kind: 'finished' };

/** Decides what is next at a time of the schedule's clock. */
export function decideRunStep(plan: ApprovedPlan, run: PlanRun, now: Instant): RunStep {
  const items = listPlannedItems(plan);
  const running = items.filter(({ id }) => run.items[id]?.status === 'running');
  const ofAgents = running.filter(({ node }) => node.agent !== undefined);
  if (ofAgents.length > 0) return { kind: 'delegate', items: ofAgents };
  const isOverAlone = run.people === 'as_planned';
  const over = running.filter(({ end }) => isOverAlone && end <= now);
  if (over.length > 0) return { kind: 'end', items: over };
  const blockers = new Blockers(plan, items, run);
  const waiting = items.filter(({ id }) => !run.items[id]);
  const free = waiting.filter((item) => !blockers.isBlocked(item));
  const due = free.filter(({ start }) => start <= now);
  if (due.length > 0) return { kind: 'start', items: due };
  const failed = items.filter(({ id }) => run.items[id]?.status === 'failed');
  if (waiting.length + running.length + failed.length === 0) return { kind: 'finished' };
  const times = [...free.map(({ start }) => start), ...(isOverAlone ? running.map(({ end }) => end) : [])];
  const [next] = waiting;
  return {
    ...{ kind: 'wait', running, failed },
    ...(times.length > 0 && { until: times.reduce((one, other) => Math.min(one, other)) }),
    ...(next && { next }),
  };
}
