import type { RunResult } from '../run/world.js';
import { checkChains } from './chains.js';
import { checkClaims, checkDerivedClaims } from './claims.js';
import { checkDelegation } from './delegation.js';
import { checkDailyBudgets } from './daily-budgets.js';
import { checkEdits } from './edits.js';
import { checkEffects } from './effects.js';
import { checkFiles } from './files.js';
import { checkFolds } from './folds.js';
import { checkGuards } from './guards.js';
import { checkHandoffs, checkItems } from './handoffs.js';
import { checkInbox } from './inbox.js';
import { checkJobEnds, checkPhaseOrder } from './jobs.js';
import { checkBudgets } from './money.js';
import { checkPauses } from './pauses.js';
import { checkCallsClosed, checkFencing, checkTodoLists } from './phases.js';
import { checkQuestions } from './questions.js';
import { checkReflections } from './reflections.js';
import { checkRequests } from './requests.js';
import { checkTimers } from './timers.js';
import { checkTurns } from './turns.js';

/** A violated invariant and the evidence for it. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

type Invariant = (remains: RunResult) => Iterable<string>;

/** Invariants that must hold in every run, regardless of its faults. */
const invariants: Readonly<Record<string, Invariant>> = {
  'every job ends or names what it waits for': checkJobEnds,
  'no todo is lost or done twice': checkTodoLists,
  'no once tool has two effects': checkEffects,
  'guards decide once, before the call that they are asked about': checkGuards,
  'a claim is decided once, on runs that passed': checkClaims,
  'every accepted claim derives from the log': checkDerivedClaims,
  'a handoff is issued once and ends once': checkHandoffs,
  'an item is tested with evidence, or blocked after its attempts': checkItems,
  'a delegated task has one child job, within its share, and ends with its parent': checkDelegation,
  'no phase completes twice': checkPhaseOrder,
  'a request is recorded once': checkRequests,
  'a paused job waits until a person resumes it': checkPauses,
  'an edit is recorded once, by its person, over what the person saw': checkEdits,
  'no file is lost between phases': checkFiles,
  'a stale lease owner is refused': checkFencing,
  'a live lease owner keeps its work': reportedDuringRun('a live lease owner keeps its work'),
  'served states equal the fold of the log': checkFolds,
  'money spent stays within the cap': checkBudgets,
  'what a person spends in a day stays within the cap': checkDailyBudgets,
  'limits of turns hold': checkTurns,
  'an attempt after a failed one reflects once, before its first step': checkReflections,
  'a question or approval ends once, and waiting costs nothing': checkQuestions,
  'the inbox shows exactly what waits for a person': checkInbox,
  'no timer fires before its time': checkTimers,
  'every hash chain verifies': checkChains,
  'valid chat': checkChat,
  'no unexpected error': reportedDuringRun('no unexpected error'),
};

export function findViolations(remains: RunResult): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, check]) =>
    [...runCheck(check, remains)].map((detail) => ({ invariant, detail })),
  );
}

/** Runs one check. A log that cannot even be folded violates the invariant being checked. */
function runCheck(check: Invariant, remains: RunResult): string[] {
  try {
    return [...check(remains)];
  } catch (error) {
    return [`cannot be checked: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function checkChat(remains: RunResult): Iterable<string> {
  return [...reportedDuringRun('valid chat')(remains), ...checkCallsClosed(remains)];
}

function reportedDuringRun(invariant: string): Invariant {
  return ({ reported }) => reported.filter((one) => one.invariant === invariant).map(({ detail }) => detail);
}
