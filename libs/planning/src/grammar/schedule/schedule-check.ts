import type { PlanOutline } from '../../artifacts/plan-outline.js';
import type { Roadmap } from '../../artifacts/roadmap.js';
import type { Schedule } from '../../artifacts/schedule.js';
import type { OutlineTree } from '../outline-tree.js';

/** What a schedule is checked against. Outline and roadmap are valid. */
export interface ScheduleCheck {
  readonly outline: PlanOutline;
  readonly roadmap: Roadmap;
  readonly roadmapHash: string;
  /** Zone of the context, which a fix uses for tasks without a valid one. */
  readonly zone: string;
}

/** A schedule with what its rules need. */
export interface ScheduleSubject {
  readonly schedule: Schedule;
  readonly roadmap: Roadmap;
  readonly tree: OutlineTree;
  readonly zone: string;
}
