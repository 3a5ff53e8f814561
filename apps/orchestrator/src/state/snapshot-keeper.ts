import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { StreamId } from '@phaseline/contracts';
import { decodeJobEvent, parseStreamName, phaseStream } from '@phaseline/domain';
import { Subscription, type RecordedEvent } from '@phaseline/event-store';
import {
  InjectIdentity,
  InjectLogger,
  InjectPool,
  InjectShutdownSignal,
  type ServiceIdentity,
} from '@phaseline/service';
import { EVENTS_PER_SNAPSHOT } from '@phaseline/repository';
import { TimeTravel } from '@phaseline/time-travel';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Interval in milliseconds between searches for long phases. */
const LONG_PHASES_INTERVAL_MS = 30_000;

/**
 * Takes snapshots asynchronously, never during an append: of a phase and its job when the phase has ended, and
 * periodically of long phases. Replicas share the former; a snapshot that two replicas take at the same time is stored once.
 */
@Injectable()
export class SnapshotKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;
  private readonly stop = new AbortController();
  private longPhases: Promise<void> | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() private readonly logger: Logger,
    @InjectPool() pool: Pool,
    @InjectShutdownSignal() shutdown: AbortSignal,
    private readonly travel: TimeTravel,
  ) {
    this.subscription = new Subscription(pool, {
      // Checkpoints are stored under this name.
      name: 'snapshots',
      cold: travel.cold,
      replicaId: identity.processId,
      types: ['PhaseEnded'],
      handle: (events) => this.phasesEnded(events),
      onError: (error, partition) =>
        logger.warn(
          { error, partition },
          'taking snapshots failed; will retry, and reading past states is slower until then',
        ),
    });
    shutdown.addEventListener('abort', () => void this.close());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.subscription.start();
    this.longPhases = this.snapshotLongPhases();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private async phasesEnded(events: readonly RecordedEvent[]): Promise<void> {
    for (const recorded of events) {
      const name = parseStreamName(recorded.streamId);
      const event = name?.kind === 'job' ? decodeJobEvent(recorded) : undefined;
      if (!name || event?.type !== 'PhaseEnded') continue;
      await this.take(phaseStream(name.jobId, event.data.phase), Number.MAX_SAFE_INTEGER);
      await this.take(recorded.streamId, recorded.version);
    }
  }

  private async snapshotLongPhases(): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      try {
        for (const { streamId, version } of await this.travel.snapshots.findStreamsBehind(EVENTS_PER_SNAPSHOT)) {
          if (signal.aborted) return;
          await this.take(streamId, version);
        }
      } catch (error) {
        this.logger.debug({ error }, 'searching for long phases failed; will retry');
      }
      await sleep(LONG_PHASES_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Takes a snapshot. A stream that cannot be folded does not delay the others; readers of its state get the error. */
  private async take(streamId: StreamId, version: number): Promise<void> {
    try {
      await this.travel.folds.storeSnapshots(streamId, version);
    } catch (error) {
      this.logger.debug({ error, streamId }, 'no snapshot could be taken');
    }
  }

  private close(): Promise<void> {
    this.stop.abort();
    this.closing ??= Promise.all([this.subscription.close(), this.longPhases]).then(() => undefined);
    return this.closing;
  }
}
