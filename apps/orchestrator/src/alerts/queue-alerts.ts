import { pluralise, type Alert, type QueueDepth } from '@phaseline/client';
import { formatDuration } from '@phaseline/service';
import { isServed } from '../processes/is-served.js';
import type { AlertFacts } from './alert-facts.js';

/** Age of the oldest message from which on a queue needs attention. */
const OLD_MS = 5 * 60_000;
/** A message that waits for less time does not show that no process takes it: one may be starting. */
const UNSERVED_MS = 15_000;
/** A queue whose messages wait for less time keeps up, even if more arrive than end at the moment. */
const GROWING_MS = 30_000;

/** Lists queues that no process serves, that grow, or whose messages wait too long; and dead letters. */
export function listQueueAlerts({ now, queues, processes, deadLetters }: AlertFacts): Alert[] {
  return [
    ...queues.flatMap((depth) => {
      const waitMs = depth.longestWaitMs ?? 0;
      const isUnserved = waitMs > UNSERVED_MS && !isServed(depth.queue, processes);
      return [
        ...(isUnserved ? [buildUnserved(depth, waitMs, now)] : []),
        ...(!isUnserved && depth.isGrowing && waitMs > GROWING_MS ? [buildGrowing(depth, waitMs, now)] : []),
        ...(waitMs > OLD_MS ? [buildOld(depth, waitMs, now)] : []),
      ];
    }),
    ...Object.entries(deadLetters).flatMap(([queue, count]) => (count > 0 ? [buildDeadLetters(queue, count)] : [])),
  ];
}

function buildUnserved({ queue, waiting }: QueueDepth, waitMs: number, now: number): Alert {
  return {
    ...aboutQueue('queue-unserved', queue, now - waitMs),
    severity: 'critical',
    title: `No process serves the queue ${queue}`,
    cause: `${pluralise(waiting, 'message waits', 'messages wait')} on the queue ${queue}, and no running process takes them.`,
    command: 'phaseline ps',
  };
}

function buildGrowing(
  { queue, waiting, arrivalsPerMinute, completionsPerMinute }: QueueDepth,
  waitMs: number,
  now: number,
): Alert {
  const [arrive, end] = [arrivalsPerMinute, completionsPerMinute].map((rate) => rate.toFixed(1));
  return {
    ...aboutQueue('queue-growing', queue, now - waitMs),
    severity: 'warning',
    title: `The queue ${queue} does not drain`,
    cause: `${pluralise(waiting, 'message waits', 'messages wait')}; ${arrive} per minute arrive and ${end} per minute are completed.`,
    command: 'phaseline queues',
  };
}

function buildOld({ queue }: QueueDepth, waitMs: number, now: number): Alert {
  return {
    ...aboutQueue('queue-old', queue, now - waitMs),
    severity: 'warning',
    title: `Messages wait long on the queue ${queue}`,
    cause: `The oldest message on the queue ${queue} has been waiting for ${formatDuration(waitMs)}.`,
    command: 'phaseline queues',
  };
}

function buildDeadLetters(queue: string, count: number): Alert {
  return {
    ...aboutQueue('dead-letters', queue),
    severity: 'warning',
    title: `Dead letters of the queue ${queue}`,
    cause: `${pluralise(count, 'message', 'messages')} of the queue ${queue} could not be handled and ${count === 1 ? 'waits' : 'wait'} for a person.`,
    command: `phaseline dead-letters --queue ${queue}`,
  };
}

function aboutQueue(kind: Alert['kind'], queue: string, since?: number) {
  return {
    id: `${kind}:${queue}`,
    kind,
    link: { kind: 'queue' as const, id: queue },
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
  };
}
