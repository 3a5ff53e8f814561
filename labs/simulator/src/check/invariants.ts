import type { Remains } from '../run/world.js';
import { chainsHold } from './chains.js';
import { effectsOnce } from './effects.js';
import { foldsAgree } from './folds.js';
import { jobsEnd, phasesOnce } from './jobs.js';
import { moneyCapped } from './money.js';
import { callsClosed, fenceHolds, todosKept } from './phases.js';
import { requestsOnce } from './requests.js';
import { timersInTime } from './timers.js';

/** A violated invariant and the evidence for it. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

export type Invariant = (remains: Remains) => Iterable<string>;

/** Invariants that must hold in every run, whatever its faults. */
export const invariants: Readonly<Record<string, Invariant>> = {
  'every job ends or names what it waits for': jobsEnd,
  'no todo is lost or done twice': todosKept,
  'no once tool has two effects': effectsOnce,
  'no phase completes twice': phasesOnce,
  'a request is recorded once': requestsOnce,
  'a stale lease owner is refused': fenceHolds,
  'a live lease owner keeps its work': reportedDuringRun('a live lease owner keeps its work'),
  'served states equal the fold of the log': foldsAgree,
  'money spent stays within the cap': moneyCapped,
  'no timer fires before its time': timersInTime,
  'every hash chain verifies': chainsHold,
  'valid chat': checkChat,
  'no unexpected error': reportedDuringRun('no unexpected error'),
};

export function violationsOf(remains: Remains): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, check]) =>
    [...runCheck(check, remains)].map((detail) => ({ invariant, detail })),
  );
}

/** Runs one check. A log that cannot even be folded violates the invariant being checked. */
function runCheck(check: Invariant, remains: Remains): string[] {
  try {
    return [...check(remains)];
  } catch (error) {
    return [`cannot be checked: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function checkChat(remains: Remains): Iterable<string> {
  return [...reportedDuringRun('valid chat')(remains), ...callsClosed(remains)];
}

function reportedDuringRun(invariant: string): Invariant {
  return ({ seen }) => seen.filter((one) => one.invariant === invariant).map(({ detail }) => detail);
}
