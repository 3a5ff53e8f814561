import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseClock } from '@phaseline/cluster';
import { jobEndTypes, parseStreamName, phaseEndTypes } from '@phaseline/domain';
import {
  EventStore,
  isUnreachable,
  removeSubscription,
  Subscription,
  type RecordedEvent,
} from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import {
  InjectConfig,
  InjectIdentity,
  InjectLogger,
  InjectPool,
  InjectShutdownSignal,
  type ServiceIdentity,
} from '@phaseline/service';
import { flushSpans, writeSpan, type EndedSpan } from '@phaseline/telemetry';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { describeJob } from './describe-job.js';
import { describePhase } from './describe-phase.js';

/** Checkpoints are stored under this name. */
const NAME = 'telemetry';
/** Jobs and phases that ended longer ago have no spans: the log may be much older than the collector. */
const MAX_AGE_MS = 3_600_000;

/**
 * Writes the spans of jobs and phases when they end, from the log: their ids and times follow from it, so a crash of any process loses
 * none of them. A span may be sent twice, with the same id. Runs only while telemetry is on.
 */
@Injectable()
export class SpanKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    @InjectConfig() config: OrchestratorConfig,
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() private readonly pool: Pool,
    @InjectShutdownSignal() shutdown: AbortSignal,
    private readonly store: EventStore,
    private readonly repository: JobRepository,
    private readonly clock: DatabaseClock,
  ) {
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
    this.subscription = new Subscription(pool, {
      name: NAME,
      cold: store.cold,
      replicaId: identity.processId,
      types: [...jobEndTypes, ...phaseEndTypes],
      handle: (events) => this.writeSpans(events),
      onError: (error, partition) => logger.warn({ error, partition }, 'writing spans of jobs failed; will retry'),
    });
    shutdown.addEventListener('abort', () => void this.close());
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.subscription) return this.subscription.start();
    // Otherwise, `phaseline doctor` would report that nobody continues it.
    await removeSubscription(this.pool, NAME);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private async writeSpans(events: readonly RecordedEvent[]): Promise<void> {
    const oldest = this.clock.now().getTime() - MAX_AGE_MS;
    for (const event of events) {
      if (Date.parse(event.recordedAt) < oldest) continue;
      const span = await this.describe(event);
      if (span) writeSpan(span);
    }
    // The checkpoint is saved after this, so that a crash before it writes them again.
    await flushSpans();
  }

  /** Describes the span of a stream that has ended. One that cannot be read has no span, and does not delay the others. */
  private async describe(end: RecordedEvent): Promise<EndedSpan | undefined> {
    const name = parseStreamName(end.streamId);
    try {
      if (name?.kind === 'phase') {
        const state = await this.repository.loadPhase(name.jobId, name.phase);
        const first = await this.store.readAt(end.streamId, 1);
        return state && first && describePhase(state, first, end);
      }
      const state = name && (await this.repository.loadJob(name.jobId));
      return state && describeJob(state, await this.store.read(end.streamId, { to: end.version }));
    } catch (error) {
      if (isUnreachable(error)) throw error;
      this.logger.debug({ error, streamId: end.streamId }, 'the span of a job or phase could not be written');
      return undefined;
    }
  }

  private close(): Promise<void> {
    this.closing ??= this.subscription?.close() ?? Promise.resolve();
    return this.closing;
  }
}
