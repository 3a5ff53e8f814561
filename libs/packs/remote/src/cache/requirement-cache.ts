import type { Modality, JobId, CallId } from '@phaseline/contracts';
import type { CLAIM_OUTCOMES, REQUIREMENT_STATUSES } from '@phaseline/pack-specs';

/** A requirement as a job writes it. */
export interface NewRequirement {
  readonly id: string;
  readonly text: string;
  readonly modality: Modality;
  /** Headings above the requirement, outermost first. */
  readonly section: readonly string[];
  /** Where the requirement is stated: at least the document and the quote. */
  readonly citation: Readonly<Record<string, unknown>>;
  /** Confidence that this is a requirement, from 0 to 1. */
  readonly confidence: number;
}

export type RequirementStatus = (typeof REQUIREMENT_STATUSES)[number];

export interface CachedRequirement extends NewRequirement {
  /** Number of the entry, unique across all collections. */
  readonly entry: number;
  readonly status: RequirementStatus;
  /** Number of the latest claim; 0 before the first one. */
  readonly token: number;
  readonly writtenBy: string;
  readonly claimedBy: string | undefined;
  /** End of the lease as an ISO timestamp; undefined unless claimed. */
  readonly leaseExpiresAt: string | undefined;
  readonly note: string | undefined;
}

/** Result of writing one requirement. */
export interface WrittenRequirement {
  readonly entry: number;
  /** False when a requirement with the same normalised text exists; `id` and `writtenBy` are then those of the existing one. */
  readonly isNew: boolean;
  readonly id: string;
  readonly status: RequirementStatus;
  readonly writtenBy: string;
}

/** Identity of a call, which makes writes idempotent: a repeated call has no second effect and returns the same result. */
export interface CallIdentity {
  readonly collection: string;
  readonly jobId: JobId;
  readonly callId: CallId;
}

type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

export interface ClaimEnd {
  readonly entry: number;
  readonly token: number;
  readonly outcome: ClaimOutcome;
  readonly note: string | undefined;
  /** Lease in milliseconds from now, used with `renew`. */
  readonly leaseMs: number;
}

export interface ClaimEndResult {
  /** False when the claim is lost: never made, taken over, or expired. Nothing was changed then. */
  readonly accepted: boolean;
  readonly status: RequirementStatus;
  readonly token: number;
  readonly leaseExpiresAt: string | undefined;
}

/** One claim of a job and its outcome. An entry that was released and claimed again has several. */
export interface ClaimRecord extends Pick<
  CachedRequirement,
  'entry' | 'id' | 'text' | 'modality' | 'section' | 'citation' | 'confidence' | 'token' | 'note'
> {
  /** `held`: the claim has not ended. `expired`: its lease expired. */
  readonly outcome: 'done' | 'failed' | 'release' | 'expired' | 'held';
  /** End of the claim as an ISO timestamp; undefined while it is held. */
  readonly endedAt: string | undefined;
}

export interface ListRequirements {
  readonly status: RequirementStatus | undefined;
  /** Text to find in the requirement or its id, ignoring case. */
  readonly contains: string | undefined;
  /** Returns only entries with a higher number. */
  readonly after: number;
  readonly limit: number;
}

/** Queue that hands requirements over from jobs that find them to jobs that check them. */
export interface RequirementCache {
  /** Writes requirements and returns one result each, in the given order. */
  write(call: CallIdentity, requirements: readonly NewRequirement[]): Promise<readonly WrittenRequirement[]>;
  /** Claims at most `limit` pending entries, oldest first, for `leaseMs` milliseconds. */
  claim(call: CallIdentity, options: { limit: number; leaseMs: number }): Promise<readonly CachedRequirement[]>;
  /** Ends or renews a claim. Returns undefined when the collection has no such entry. */
  endClaim(call: CallIdentity, end: ClaimEnd): Promise<ClaimEndResult | undefined>;
  /** Returns the claims of the calling job in the order in which they ended; claims that it still holds come last. */
  listClaims(call: Pick<CallIdentity, 'collection' | 'jobId'>, limit: number): Promise<readonly ClaimRecord[]>;
  list(collection: string, options: ListRequirements): Promise<readonly CachedRequirement[]>;
  countByStatus(collection: string): Promise<Readonly<Record<RequirementStatus, number>>>;
}
