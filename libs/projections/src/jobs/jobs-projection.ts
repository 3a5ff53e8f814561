import { Subscription, type SubscriptionOptions } from '@phaseline/event-store';
import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import { jobViewTypes } from './evolve-job-view.js';
import { projectJobs } from './project-jobs.js';

/** Checkpoints are stored under it. To build the table anew, empty it and choose another name. */
const NAME = 'jobs-view';

/**
 * The subscription that keeps the table `jobs`: rows and checkpoint in one transaction. Start it, and close it before the
 * pool ends. A page that cannot be folded stops its partition and is told to `onError`; the others go on.
 */
export function jobsProjection(
  pool: pg.Pool,
  options: Pick<SubscriptionOptions, 'replicaId' | 'listener' | 'onError' | 'pollMs' | 'leaseMs'> = {},
): Subscription {
  return new Subscription(pool, {
    ...options,
    name: NAME,
    types: jobViewTypes,
    handleInTransaction: (transaction, events) =>
      projectJobs(
        {
          query: (text, values) =>
            transaction.executeQuery(CompiledQuery.raw(text, values)) as Promise<{ rows: never[] }>,
        },
        events,
      ),
  });
}
