import type { Remains } from '../run/world.js';
import { chainsHold } from './chains.js';
import { effectsOnce } from './effects.js';
import { foldsAgree } from './folds.js';
import { jobsEnd, phasesOnce } from './jobs.js';
import { moneyCapped } from './money.js';
import { callsClosed, fenceHolds, todosKept } from './phases.js';
import { requestsOnce } from './requests.js';
import { timersInTime } from './timers.js';

/** What a run broke, and how that shows. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

export type Invariant = (remains: Remains) => Iterable<string>;

/** What must be true of every run, whatever went wrong in it. */
export const invariants: Readonly<Record<string, Invariant>> = {
  'every job ends or names what it waits for': jobsEnd,
  'no todo is lost or done twice': todosKept,
  'no once tool has two effects': effectsOnce,
  'no phase completes twice': phasesOnce,
  'a request is recorded once': requestsOnce,
  'a stale holder is refused': fenceHolds,
  'a living holder is left alone': seenAs('a living holder is left alone'),
  'folding the log gives what was served': foldsAgree,
  'money spent stays within the cap': moneyCapped,
  'no timer fires before its time': timersInTime,
  'every hash chain verifies': chainsHold,
  'valid chat': validChat,
  'no unexpected error': seenAs('no unexpected error'),
};

export function violationsOf(remains: Remains): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, check]) =>
    [...attempt(check, remains)].map((detail) => ({ invariant, detail })),
  );
}

/** A log so broken that it cannot even be folded is a violation too, of what was being checked. */
function attempt(check: Invariant, remains: Remains): string[] {
  try {
    return [...check(remains)];
  } catch (error) {
    return [`cannot be checked: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function validChat(remains: Remains): Iterable<string> {
  return [...seenAs('valid chat')(remains), ...callsClosed(remains)];
}

function seenAs(invariant: string): Invariant {
  return ({ seen }) => seen.filter((one) => one.invariant === invariant).map(({ detail }) => detail);
}
