import type { Actor, JobId } from '@phaseline/contracts';
import type { MoveKeptReason } from '../cold-storage/move-job.js';

/** What retention did with an ended job whose time is over, or why it kept everything. */
export type RetentionOutcome =
  | { readonly kind: 'removed'; readonly files: number; readonly bytes: number }
  /** Only the vectors were removed: `vectorFiles` is the number of files that they were made of. */
  | { readonly kind: 'vectors-removed'; readonly vectorFiles: number }
  /** Learning traces that nobody promoted were removed; the table follows within seconds. */
  | { readonly kind: 'traces-removed'; readonly traces: number }
  /** The job needs none of its files any more. `neededElsewhere` of them are removed with the last job that needs them. */
  | { readonly kind: 'released'; readonly neededElsewhere: number }
  | { readonly kind: 'kept'; readonly reason: KeptReason }
  /** The events of its ended phases moved to cold storage. */
  | { readonly kind: 'moved'; readonly events: number; readonly archiveBytes: number }
  | { readonly kind: 'not-moved'; readonly reason: MoveKeptReason | 'archive-unreadable' };

/**
 * - `held`: a legal hold is on the job.
 * - `forked`: a fork continues from the job.
 * - `recently-stored`: a process may be about to refer to the content; a later run removes it.
 * - `changing`: the job or its content changed repeatedly during the removal; the next run tries again.
 */
type KeptReason = 'held' | 'forked' | 'recently-stored' | 'changing';

export interface RetentionResult {
  readonly jobId: JobId;
  readonly tenant: string;
  readonly outcome: RetentionOutcome;
}

export interface RetentionOptions {
  readonly actor: Actor;
  readonly now: Date;
  /** Tenants to work for; default: all that have a setting. */
  readonly tenants?: readonly string[] | undefined;
  /** Whether to report what would be removed without removing it. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** For specs: maximum number of hashes in one event. */
  readonly hashesPerEvent?: number;
  /** For specs: files stored within this time are kept, in milliseconds. */
  readonly graceMs?: number;
}
