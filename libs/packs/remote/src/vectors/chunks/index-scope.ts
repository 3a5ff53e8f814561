import type { JobId } from '@phaseline/contracts';

/** Scope of an index. Queries never touch another job or space. */
export interface IndexScope {
  readonly tenant: string;
  readonly jobId: JobId;
  readonly space: string;
}
