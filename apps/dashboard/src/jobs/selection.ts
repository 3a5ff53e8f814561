import type { JobConditions } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

/** The jobs that a person has chosen: some of the list, or all that match the filters. */
export type Selection =
  | { readonly kind: 'jobs'; readonly jobIds: ReadonlySet<JobId> }
  | { readonly kind: 'matching'; readonly filter: JobConditions };
