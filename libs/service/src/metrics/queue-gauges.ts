import type { Queues } from '@phaseline/queue';
import type { Metrics } from './metrics.js';
import { shareReads } from './share-reads.js';

/** Adds the gauges of the queues: their depth, and the age of the oldest message that waits. */
export function addQueueGauges(queues: Pick<Queues, 'readDepths'>, metrics: Metrics): void {
  const read = shareReads(async () => Object.entries(await queues.readDepths()));
  metrics.addGauge('phaseline_queue_depth', 'Messages in a queue, by state.', ['queue', 'state'], async () =>
    (await read()).flatMap(([queue, { waiting, active, delayed }]) =>
      Object.entries({ waiting, active, delayed }).map(([state, value]) => ({ labels: { queue, state }, value })),
    ),
  );
  metrics.addGauge(
    'phaseline_queue_oldest_age_seconds',
    'Age of the oldest message that waits in a queue; 0 when none waits.',
    ['queue'],
    async () =>
      (await read()).map(([queue, { oldestAgeMs = 0 }]) => ({ labels: { queue }, value: oldestAgeMs / 1000 })),
  );
}
