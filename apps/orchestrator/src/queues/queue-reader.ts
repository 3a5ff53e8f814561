import { Injectable } from '@nestjs/common';
import type { QueueDepth, QueueDepths } from '@phaseline/client';
import { DeadLetters, ProcessRegistry, type ProcessReport } from '@phaseline/cluster';
import { queueNames, type QueueName } from '@phaseline/contracts';
import { ReadModelQueries } from '@phaseline/projections';
import { Queues } from '@phaseline/queue';
import { computeQueueRates, type QueueCounts } from './compute-queue-rates.js';

type Flow = Pick<QueueCounts, 'arrived' | 'completed'>;
type Depths = Awaited<ReturnType<Queues['readDepths']>>;

/** Number of minutes that the window of the rates covers, including the current one. */
const WINDOW_MINUTES = 5;
const MINUTE_MS = 60_000;
const NO_FLOW: Flow = { arrived: 0, completed: 0 };

/** Queues whose messages need not lead to events. The processes that handle them count them. */
const countedQueues: readonly QueueName[] = ['jobs', 'timers', 'repositories'];

/** What the queues and the processes look like now. */
interface QueueSnapshot {
  readonly depths: QueueDepths;
  readonly deadLetters: Readonly<Record<string, number>>;
  readonly processes: readonly ProcessReport[];
}

/**
 * Reads the queues with their rates. A read takes four statements in the database, or three and some commands in Redis, and one more per
 * counted queue that is not empty; nothing is computed or stored between reads.
 */
@Injectable()
export class QueueReader {
  constructor(
    private readonly queues: Queues,
    private readonly deadLetters: DeadLetters,
    private readonly queries: ReadModelQueries,
    private readonly processes: ProcessRegistry,
  ) {}

  async read(): Promise<QueueSnapshot> {
    const [depths, deadLetters, flow, processes] = await Promise.all([
      this.queues.readDepths(),
      this.deadLetters.count(),
      this.queries.queueFlow(WINDOW_MINUTES),
      this.processes.listReports(),
    ]);
    const windowMs = flow.to - flow.from;
    const logged = new Map<QueueName, Flow>(
      flow.queues.map(({ queue, added, removed }) => [queue, { arrived: added, completed: removed }]),
    );
    const counted = await this.readCounted(depths, processes, flow);
    return {
      depths: {
        backend: this.queues.backend,
        measuredAt: new Date(flow.to).toISOString(),
        windowSeconds: windowMs / 1_000,
        queues: queueNames.map((queue) =>
          toQueueDepth(queue, depths[queue], counted.get(queue) ?? logged.get(queue) ?? NO_FLOW, windowMs / 1_000),
        ),
        deadLetterCount: Object.values(deadLetters).reduce((sum, count) => sum + count, 0),
      },
      deadLetters,
      processes,
    };
  }

  /** Messages that processes have finished, and those that still exist, make up what arrived. */
  private async readCounted(
    depths: Depths,
    processes: readonly ProcessReport[],
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<Map<QueueName, Flow>> {
    const finished = sumHandled(processes, from);
    const flows = countedQueues.map(async (queue): Promise<[QueueName, Flow]> => {
      const { waiting, active } = depths[queue];
      const present = waiting + active === 0 ? 0 : await this.queues.countRecent(queue, to - from);
      const { due = 0, done = 0 } = finished.get(queue) ?? {};
      return [queue, { arrived: due + present, completed: done }];
    });
    return new Map(await Promise.all(flows));
  }
}

/** Sums what the processes report for the minutes from `from` on, by queue. */
function sumHandled(
  processes: readonly ProcessReport[],
  from: number,
): Map<string, { readonly due: number; readonly done: number }> {
  const sums = new Map<string, { due: number; done: number }>();
  for (const { queue, minute, due, done } of processes.flatMap(({ load }) => load?.handled ?? [])) {
    if (minute * MINUTE_MS < from) continue;
    const sum = sums.get(queue) ?? { due: 0, done: 0 };
    sums.set(queue, { due: sum.due + due, done: sum.done + done });
  }
  return sums;
}

function toQueueDepth(
  queue: QueueName,
  { waiting, active, delayed, failed, oldestAgeMs }: Depths[QueueName],
  { arrived, completed }: Flow,
  windowSeconds: number,
): QueueDepth {
  return {
    queue,
    ...{ waiting, active, delayed, failed },
    ...(oldestAgeMs === undefined ? {} : { longestWaitMs: Math.round(oldestAgeMs) }),
    ...computeQueueRates({ waiting, arrived, completed }, windowSeconds),
  };
}
