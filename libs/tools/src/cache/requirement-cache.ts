import type { Modality } from '../documents/requirement/modality.js';

/** A requirement as the writing job knows it. */
export interface NewRequirement {
  readonly id: string;
  readonly text: string;
  readonly modality: Modality;
  /** Headings that it stands under, outermost first. */
  readonly section: readonly string[];
  /** Where it is stated: at least the document and the words. */
  readonly citation: Readonly<Record<string, unknown>>;
  /** 0 to 1. */
  readonly confidence: number;
}

export const requirementStatuses = ['pending', 'claimed', 'done', 'failed'] as const;
export type RequirementStatus = (typeof requirementStatuses)[number];

export interface CachedRequirement extends NewRequirement {
  /** Number of the entry; unique over all collections. */
  readonly entry: number;
  readonly status: RequirementStatus;
  /** The latest claim; 0 before the first one. */
  readonly token: number;
  readonly writtenBy: string;
  readonly claimedBy: string | undefined;
  /** ISO time; missing unless claimed. */
  readonly leaseExpiresAt: string | undefined;
  readonly note: string | undefined;
}

/** What became of one requirement of a write. */
export interface WrittenRequirement {
  readonly entry: number;
  /** False where a requirement with the same normalised text was there; then the id and the job are those of that one. */
  readonly isNew: boolean;
  readonly id: string;
  readonly status: RequirementStatus;
  readonly writtenBy: string;
}

/** Whose call an effect is. A call that is made again under the same name has no second effect and the same answer. */
export interface CallName {
  readonly collection: string;
  readonly jobId: string;
  readonly callId: string;
}

export const claimOutcomes = ['done', 'failed', 'release', 'renew'] as const;
export type ClaimOutcome = (typeof claimOutcomes)[number];

export interface ClaimEnd {
  readonly entry: number;
  readonly token: number;
  readonly outcome: ClaimOutcome;
  readonly note: string | undefined;
  /** For `renew`. */
  readonly leaseMs: number;
}

export interface ClaimEndResult {
  /** False where the claim is lost: never made, taken over, or its lease has run out. Nothing was changed then. */
  readonly accepted: boolean;
  readonly status: RequirementStatus;
  readonly token: number;
  readonly leaseExpiresAt: string | undefined;
}

/** One claim of a job, and what became of it. An entry that was given back and claimed again has several. */
export interface ClaimRecord extends Pick<
  CachedRequirement,
  'entry' | 'id' | 'text' | 'modality' | 'section' | 'citation' | 'confidence' | 'token' | 'note'
> {
  /** `held`: the claim has not been ended. */
  readonly outcome: 'done' | 'failed' | 'release' | 'lapsed' | 'held';
  /** ISO time; missing while it is held. */
  readonly endedAt: string | undefined;
}

export interface ListRequirements {
  readonly status: RequirementStatus | undefined;
  /** Words that the text or the id holds, whatever their case. */
  readonly contains: string | undefined;
  /** Entries behind this number. */
  readonly after: number;
  readonly limit: number;
}

/** The hand-over between a job that finds requirements and a job that checks them. */
export interface RequirementCache {
  /** One answer each, in the order given. */
  write(call: CallName, requirements: readonly NewRequirement[]): Promise<readonly WrittenRequirement[]>;
  /** At most `limit` open entries, oldest first, held for `leaseMs`. */
  claim(call: CallName, options: { limit: number; leaseMs: number }): Promise<readonly CachedRequirement[]>;
  /** `undefined` when the collection has no such entry. */
  end(call: CallName, end: ClaimEnd): Promise<ClaimEndResult | undefined>;
  /** The claims of the calling job, in the order in which they were ended, those that it still holds last. */
  claimsOf(call: Pick<CallName, 'collection' | 'jobId'>, limit: number): Promise<readonly ClaimRecord[]>;
  list(collection: string, options: ListRequirements): Promise<readonly CachedRequirement[]>;
  counts(collection: string): Promise<Readonly<Record<RequirementStatus, number>>>;
}
