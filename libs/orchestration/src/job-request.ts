import type { JsonObject } from '@phaseline/basics';
import type { JobId, RepositoryRequest, SubmittedVerifiers } from '@phaseline/contracts';
import type { Budgets, DelegatedBy, FollowOn, TurnLimits } from '@phaseline/domain';
import type { StoredContent } from '@phaseline/workspace';

export interface JobDocument {
  /** File name or relative path; the document is stored below `documents/`. */
  readonly name: string;
  /** The bytes, or the blob that they were streamed into. */
  readonly content: Uint8Array | StoredContent;
}

export interface JobRequest {
  readonly agent: string;
  /** Added to the agent's own instructions. */
  readonly instructions?: string | undefined;
  readonly documents?: readonly JobDocument[] | undefined;
  /** Repository that is imported before the first phase. */
  readonly repository?: RepositoryRequest | undefined;
  /** Verifiers that replace those of the agent, or are added to them. */
  readonly verifiers?: SubmittedVerifiers | undefined;
  readonly budgets?: Budgets | undefined;
  readonly turns?: TurnLimits | undefined;
  readonly dailyBudget?: { readonly costUsd: number } | undefined;
  readonly parameters?: JsonObject | undefined;
  /**
   * The parameters as the caller sent them, where the server adds to them what may change later. Repeated requests are compared by these. No
   * caller can set it.
   */
  readonly sentParameters?: JsonObject | undefined;
  /** Documents that the server adds. Repeated requests are compared without them. No caller can set it. */
  readonly addedDocuments?: readonly JobDocument[] | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly priority?: number | undefined;
  /** Tenant that owns the job; default `default`. */
  readonly tenant?: string | undefined;
  /** Repeated requests with the same key, tenant, actor and content return the same job. */
  readonly idempotencyKey?: string | undefined;
  /** Opaque id of the requesting actor; part of the idempotency key. Default `local`. */
  readonly actorId?: string | undefined;
  /**
   * Whether to encrypt everything that the job stores, under a key that can be erased. Encrypted jobs have separate
   * idempotency keys.
   */
  readonly encrypt?: boolean | undefined;
  /** The batch of the cache for which the system submits the job. No caller can set it. */
  readonly followOn?: FollowOn | undefined;
  /** The call that delegated a task to this job. No caller can set it. */
  readonly delegatedBy?: DelegatedBy | undefined;
  /** Whether the parameter that names a person may name another one than the submitter. No caller can set it. */
  readonly mayActForOthers?: boolean | undefined;
  /** Id from `createJobId`, for callers that stored documents of the job beforehand. */
  readonly jobId?: JobId | undefined;
}
