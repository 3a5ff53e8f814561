import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseTree } from '../phase/state/tree.js';
import type { NextPhase } from './dispatch-phase.js';
import type { JobEvent } from './job-events.js';

/** Events to append in one commit, and the phase to run next, if any. */
export interface JobDecision {
  readonly job: readonly JobEvent[];
  /** Events for the stream of the active phase. */
  readonly activePhase: readonly PhaseEvent[];
  readonly next?: NextPhase;
}

/** What a decision needs beside the state of the job and of its phase; `JobDriver` reads it only where it is needed. */
export interface DecisionFiles {
  /** Text of the plan of the job, if a phase was just completed. */
  readonly mainPlan?: string | undefined;
  /** The files with which the work on the current item began, if it may become blocked. */
  readonly itemTree?: PhaseTree | undefined;
}

/** What follows an ended phase: events of the job, and the phase to run next, if any. */
export interface FollowUp {
  readonly job: readonly JobEvent[];
  readonly next?: NextPhase;
}
