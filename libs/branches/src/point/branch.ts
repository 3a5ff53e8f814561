import type { JobId, JobStatus } from '@phaseline/contracts';
import type { AnswerCalls } from './recorded-answer.js';

/** What a branch does otherwise than the job that it continues. Without members it continues with the same agent, models and limits. */
export interface BranchChanges {
  readonly agent?: string;
  /** Profiles of models per kind of phase. */
  readonly models?: { readonly strategic?: string; readonly tactical?: string };
  /** Limits of phases by name. */
  readonly limits?: Readonly<Record<string, number>>;
}

/** A fork that is to run live. */
export interface BranchRequest {
  readonly jobId: JobId;
  /** Position in the log from which it continues. */
  readonly position: number;
  readonly candidate: BranchChanges;
  /** Whether it is cancelled after its first answer, whose calls are not run. */
  readonly isProbe: boolean;
  /** What it may cost from the point on, in micro-USD; the limits of its parent count in any case. */
  readonly maxCostMicroUsd?: number;
  /** Names the branch: the same key is the same fork, so that work that was interrupted continues. */
  readonly key: string;
}

/** What became of a branch. */
export interface Branch {
  readonly jobId: JobId;
  readonly status: JobStatus;
  /** Code of the failure, if there is one. */
  readonly code?: string;
  /** Cost from the point on, in micro-USD, and answers of the model. */
  readonly costMicroUsd: number;
  readonly steps: number;
  /** What its first answer asked for; undefined if there was none. */
  readonly firstCalls?: AnswerCalls;
}

/** Forks jobs and runs them to their end. */
export interface BranchRunner {
  /** Returns when the branch has ended, waits for a person, or, as a probe, was answered. */
  run(request: BranchRequest): Promise<Branch>;
}
