import type { PlanContext } from '../artifacts/plan-context.js';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import type { Roadmap } from '../artifacts/roadmap.js';
import type { Schedule } from '../artifacts/schedule.js';

/** The artifacts of a plan, as far as they exist. */
export interface DraftedPlan {
  readonly context?: PlanContext;
  readonly outline?: PlanOutline;
  readonly roadmap?: Roadmap;
  readonly schedule?: Schedule;
}
