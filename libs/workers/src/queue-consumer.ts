import { Injectable } from '@nestjs/common';
import { ControlListener } from '@phaseline/cluster';
import type { Payloads, JobId } from '@phaseline/contracts';
import { consume, type RunOutcome } from '@phaseline/execution';
import { Queues, type DeliveryContext } from '@phaseline/queue';
import { InjectLogger, Metrics, Progress } from '@phaseline/service';
import type { Logger } from 'pino';

/** A queue, and what runs the work of its messages. */
export interface ConsumedQueue<Name extends 'strategic' | 'tactical' | 'tools'> {
  readonly name: Name;
  /** Number of messages to handle concurrently. */
  readonly concurrency: number;
  /** Describes the work of a message, for people. */
  readonly describe: (payload: Payloads[Name]) => string;
  readonly run: (payload: Payloads[Name], delivery: DeliveryContext) => Promise<RunOutcome>;
  /** Rechecks running work: of a job that was changed from outside, or of all when events may have been missed. */
  readonly recheck: (jobId: JobId | undefined) => Promise<void>;
}

/** Consumes the queue of this process, and rechecks running work when control events arrive. */
@Injectable()
export class QueueConsumer {
  constructor(
    @InjectLogger() private readonly logger: Logger,
    private readonly queues: Queues,
    private readonly metrics: Metrics,
    private readonly progress: Progress,
    private readonly control: ControlListener,
  ) {}

  async start<Name extends 'strategic' | 'tactical' | 'tools'>(queue: ConsumedQueue<Name>): Promise<void> {
    this.control.subscribe((jobId) => {
      queue
        .recheck(jobId)
        .catch((error: unknown) => this.logger.warn({ error, jobId }, 'a changed job could not be checked'));
    });
    await this.queues.work(queue.name, (payload, delivery) => this.handle(queue, payload, delivery), {
      concurrency: queue.concurrency,
    });
  }

  private async handle<Name extends 'strategic' | 'tactical' | 'tools'>(
    { describe, run }: ConsumedQueue<Name>,
    payload: Payloads[Name],
    delivery: DeliveryContext,
  ) {
    const work = describe(payload);
    return consume(
      payload.jobId,
      () => this.progress.run(work, () => run(payload, delivery)),
      (error) => {
        this.metrics.leftToNewer.inc();
        this.logger.warn({ error, jobId: payload.jobId }, `left the ${work} to processes of a newer release`);
      },
    );
  }
}
