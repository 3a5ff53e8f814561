import { EXPERIENCES_FILE } from '../memory/experience.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { archivePath } from '../todo/todo-archive.js';
import { TODOS_FILE } from '../todo/todos-file.js';

type ClaimEvent = Extract<PhaseEvent, { readonly type: 'TodoCompleted' | 'PhaseCompleted' }>;

/** An accepted claim of a phase, as recorded. */
export interface AcceptedClaim {
  readonly event: ClaimEvent;
  /** Version of the event in the stream of the phase. */
  readonly version: number;
  /** The state in which the claim was decided. */
  readonly state: PhaseState;
}

/** Number of events that are not folded yet, in case a claim follows that was decided before them. */
const MAX_PENDING_EVENTS = 500;
/** Number of events that the system writes at most between the decision on a claim and its event. */
const MAX_EVENTS_OF_END = 8;

/** Folds the stream of a phase, and finds each accepted claim with the state in which it was decided. */
export class AcceptedClaims {
  private state: PhaseState | undefined;
  private pending: PhaseEvent[] = [];
  /** Version of the last event that is part of `state`. */
  private folded = 0;

  /** `base` is the state of the parent from which a forked phase continues. */
  constructor(base?: PhaseState) {
    this.state = base;
  }

  /** Takes the next event of the stream. Returns the claim that it accepts, if it accepts one. */
  apply(event: PhaseEvent): AcceptedClaim | undefined {
    this.pending.push(event);
    if (event.type === 'TodoCompleted' || event.type === 'PhaseCompleted') return this.decide(event);
    if (this.pending.length >= MAX_PENDING_EVENTS) this.fold(this.pending.length - MAX_EVENTS_OF_END);
    return undefined;
  }

  private decide(event: ClaimEvent): AcceptedClaim {
    const version = this.folded + this.pending.length;
    this.fold(findDecision(this.pending, this.state));
    if (!this.state) throw new Error(`${event.type} before PhaseStarted`);
    return { event, version, state: this.state };
  }

  private fold(count: number): void {
    this.state = foldPhase(this.pending.splice(0, count), this.state);
    this.folded += count;
  }
}

/** Number of events before the decision on the claim that the last event accepts. What follows the decision is part of its commit. */
function findDecision(events: readonly PhaseEvent[], state: PhaseState | undefined): number {
  const isEnd = events.at(-1)?.type === 'PhaseCompleted';
  let count = events.length - 1;
  const phase = state?.start.identity.phase ?? findPhase(events);
  while (isEnd && isWriteOfEnd(events[count - 1], phase)) count -= 1;
  return events[count - 1]?.type === 'ClaimAccepted' ? count - 1 : count;
}

function findPhase(events: readonly PhaseEvent[]): number | undefined {
  const [first] = events;
  return first?.type === 'PhaseStarted' ? first.data.identity.phase : undefined;
}

/** Whether the system writes the event when it ends a phase: the archive of the list, the plan that was handed over, the lesson. */
function isWriteOfEnd(event: PhaseEvent | undefined, phase: number | undefined): boolean {
  if (event?.type === 'ExperienceNoted') return true;
  if (event?.type !== 'FileWritten' && event?.type !== 'FileDeleted') return false;
  const { path, callId } = event.data;
  const written = [TODOS_FILE, EXPERIENCES_FILE, ...(phase === undefined ? [] : [archivePath(phase)])];
  return callId === undefined && written.includes(path);
}
