import type { JobId, StreamId } from '@phaseline/contracts';

/**
 * - `claim-without-evidence`: a claim that had checks was accepted, and its event has no evidence.
 * - `claim-not-derived`: a claim cannot have been accepted, or its evidence is not what its checks read.
 * - `claim-unreadable`: an event of the stream, or the content of a file, cannot be read, and nothing in the log says why.
 */
type ClaimProblemKind = 'claim-without-evidence' | 'claim-not-derived' | 'claim-unreadable';

interface ClaimProblem {
  readonly kind: ClaimProblemKind;
  readonly streamId: StreamId;
  readonly version: number;
  readonly jobId: JobId;
  readonly detail: string;
}

export interface ClaimsReport {
  /** Number of jobs whose claims were read. */
  readonly jobs: number;
  /** Number of accepted claims: completed todos, phases and jobs. */
  readonly claims: number;
  /** Number of them that follow from the log. */
  readonly derived: number;
  /** What was not derived, and why. */
  readonly notDerived: readonly string[];
  /** The first 1,000 problems; `problemCount` counts all of them. */
  readonly problems: readonly ClaimProblem[];
  readonly problemCount: number;
}

const MAX_PROBLEMS_KEPT = 1_000;

/** Counts claims and collects what is wrong with them. */
export class ClaimsTally {
  private jobs = 0;
  private claims = 0;
  private derived = 0;
  private problemCount = 0;
  private readonly problems: ClaimProblem[] = [];
  private readonly reasons = new Map<string, number>();

  get count(): number {
    return this.claims;
  }

  addJob(): void {
    this.jobs += 1;
  }

  addDerived(): void {
    this.claims += 1;
    this.derived += 1;
  }

  /** Counts a claim that cannot be derived for a reason that is no problem. */
  addUnderivable(reason: string): void {
    this.claims += 1;
    this.note(reason);
  }

  /** Notes something whose claims cannot be counted. */
  note(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  addProblem(problem: ClaimProblem): void {
    if (problem.kind !== 'claim-unreadable') this.claims += 1;
    this.problemCount += 1;
    if (this.problems.length < MAX_PROBLEMS_KEPT) this.problems.push(problem);
  }

  getReport(): ClaimsReport {
    const { jobs, claims, derived, problems, problemCount, reasons } = this;
    const notDerived = [...reasons].map(([reason, count]) => `${reason}: ${count}`);
    return { jobs, claims, derived, notDerived, problems, problemCount };
  }
}
