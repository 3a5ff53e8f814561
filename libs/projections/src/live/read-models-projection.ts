import { Subscription, type SubscriptionOptions, toQueryable } from '@phaseline/event-store';
import type pg from 'pg';
import { PARTITIONS, SUBSCRIPTION } from '../log/log-bounds.js';
import { viewTypes } from '../log/view-events.js';
import { projectEvents } from './project-events.js';

/**
 * A page takes some twenty statements whatever its length, so pages of a few events would cost more than the steps that they show. Too
 * short for a person to notice.
 */
const MIN_INTERVAL_MS = 100;

/**
 * Creates the subscription that updates the read models, with rows and checkpoint in one transaction. Start it, and
 * close it before the pool ends. A page that cannot be folded stops its partition and is reported to `onError`; other
 * partitions continue.
 */
export function createReadModelsProjection(
  pool: pg.Pool,
  options: Pick<
    SubscriptionOptions,
    'replicaId' | 'listener' | 'onError' | 'pollMs' | 'minIntervalMs' | 'leaseMs' | 'pageSize' | 'cold'
  > = {},
): Subscription {
  return new Subscription(pool, {
    minIntervalMs: MIN_INTERVAL_MS,
    ...options,
    name: SUBSCRIPTION,
    partitions: PARTITIONS,
    types: viewTypes,
    handleInTransaction: (transaction, events) => projectEvents(toQueryable(transaction), events),
  });
}
