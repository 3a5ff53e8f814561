import type { JsonObject } from '@phaseline/basics';
import type { GuardLimits, JobId } from '@phaseline/contracts';
import type { ProposalKind } from '../patterns/extract-patterns.js';

/** What a person may do about a pattern. Nothing of it is stored. */
export interface Proposal {
  readonly kind: ProposalKind;
  /** Why there is none; the other members are absent then. */
  readonly problem?: string;
  /** What changes, in one sentence. */
  readonly summary?: string;
  /** The whole file of a guard: a new rule, or the stricter version. */
  readonly guard?: JsonObject;
  /** The difference to what exists, as a unified diff. */
  readonly diff?: string;
  /** Name of an agent with the changed instructions, and the files of its folder by their paths. */
  readonly agent?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** The `phaseline` command that tries it on recorded jobs. */
  readonly tryWith?: string;
}

/** Members of the file of a stored guard that phases do not receive. */
export interface StoredMembers {
  readonly description?: string | undefined;
  readonly minLabelled: number;
  readonly limits?: GuardLimits | undefined;
}

/** What proposals need besides events. The caller has checked that the person may read it. */
export interface ProposalSources {
  /** Reads a file of a job by its content hash; undefined if its content was removed. */
  readFile(jobId: JobId, hash: string): Promise<Uint8Array | undefined>;
  /** Finds a stored version of a guard of a tenant, or without one of the installation, by its hash. */
  findStored(tenant: string | undefined, name: string, version: string): Promise<StoredMembers | undefined>;
}
