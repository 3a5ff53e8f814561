import type { CallId } from '@phaseline/contracts';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { JobEvent } from './job-events.js';

/** Events to record in one commit, or the reason why the job cannot take the request in its current state. */
export type ControlDecision =
  | { readonly kind: 'record'; readonly job: readonly JobEvent[]; readonly activePhase: readonly PhaseEvent[] }
  /** The job is already in the requested state. */
  | { readonly kind: 'nothing-to-do' }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly code?: RefusalCode;
      /** Calls that wait for a decision of this kind instead. */
      readonly waiting?: readonly CallId[];
    }
  /** The file to edit is not what its editor saw. */
  | { readonly kind: 'file-changed'; readonly reason: string };

/** Kinds of refusals that callers distinguish. */
export type RefusalCode =
  /** No such call waits for a person. */
  | 'not_waiting'
  /** A person, or the deadline, has already decided it. */
  | 'already_decided'
  | 'deadline_passed'
  /** The question or the arguments are not those that the person saw. */
  | 'version_mismatch'
  | 'invalid_answer'
  | 'invalid_arguments';
