import type { PlanContext } from '../artifacts/plan-context.js';
import type { PlanOutline } from '../artifacts/plan-outline.js';
import type { Roadmap } from '../artifacts/roadmap.js';
import type { Interval } from '../calendar/instant.js';

/** The artifacts from which a schedule is made. They are valid. */
export interface PlanArtifacts {
  readonly context: PlanContext;
  readonly outline: PlanOutline;
  readonly roadmap: Roadmap;
}

/** A plan that is to be scheduled. */
export interface PlanInput extends PlanArtifacts {
  /** Time of the user's other plans. */
  readonly taken?: readonly Interval[];
}
