import { isFromNewerRelease, parseStreamName, phaseStream } from '@phaseline/domain';
import { isUnreachable, type EventStore } from '@phaseline/event-store';
import { type DeadLetters, type ProcessRegistry, type Quarantine, type QuarantineEntry } from '@phaseline/cluster';
import type { JobId, StreamId } from '@phaseline/contracts';
import { QueueError } from '@phaseline/queue';
import type { Logger } from 'pino';

/** Interval in milliseconds between counts of dead letters. A message takes minutes to use up its attempts. */
const COUNT_INTERVAL_MS = 30_000;

/**
 * Fingerprint of phases that can be read but that no worker can process. Checking the stream finds nothing wrong with
 * them.
 */
const DEAD_LETTERS_FINGERPRINT = 'dead-letters';

export interface QuarantineKeeperParts {
  readonly quarantine: Quarantine;
  readonly deadLetters: DeadLetters;
  readonly store: Pick<EventStore, 'head'>;
  readonly processes: Pick<ProcessRegistry, 'listReports'>;
  readonly logger: Logger;
}

export interface QuarantineKeeperOptions {
  /** Number of dead letters of one message after which its phase is quarantined. */
  readonly maxDeadLetters: number;
  readonly countIntervalMs?: number;
}

/** One pass of the reconciler, observed for repeated failures. */
export interface WatchedPass {
  /** Returns whether a stream is skipped in this pass. */
  readonly shouldSkip: (streamId: StreamId) => boolean;
  readonly recordFailure: (streamId: StreamId, error: unknown) => void;
  /** Records what failed, and what no longer does. */
  end(): Promise<void>;
}

/**
 * Quarantines what fails repeatedly in the same way: a stream that cannot be read, a job that cannot be decided, a
 * phase whose messages repeatedly become dead letters. It is then checked rarely, until a person releases it, another
 * release of the code runs, or a check finds it working. Transient failures are not counted.
 */
export class QuarantineKeeper {
  private countedAt = -Infinity;

  constructor(
    private readonly parts: QuarantineKeeperParts,
    private readonly options: QuarantineKeeperOptions,
  ) {}

  async beginPass(): Promise<WatchedPass> {
    const [skipped, known] = await Promise.all([this.parts.quarantine.listSkipped(), this.parts.quarantine.list()]);
    const failures = new Map<StreamId, unknown>();
    return {
      shouldSkip: (streamId) => skipped.has(streamId),
      recordFailure: (streamId, error) => void failures.set(streamId, error),
      end: async () => {
        for (const [streamId, error] of failures) if (await this.isPermanent(error)) await this.count(streamId, error);
        const checkedStreams = known.filter(({ streamId }) => !skipped.has(streamId) && !failures.has(streamId));
        for (const stream of checkedStreams) await this.updateKnown(stream);
        await this.countDeadLetters();
      },
    };
  }

  /** Has all streams of a job checked again immediately. Returns those that were quarantined or being counted. */
  async release(jobId: JobId): Promise<readonly StreamId[]> {
    await this.parts.deadLetters.markHandled(
      (await this.findRepeated()).filter((deadLetter) => phaseOf(deadLetter)?.jobId === jobId),
    );
    const streams = await this.parts.quarantine.release(jobId);
    if (streams.length > 0) this.parts.logger.info({ jobId, streams }, 'released a job from quarantine');
    return streams;
  }

  /** Decides about a known stream that this pass checked without an error. */
  private async updateKnown({
    streamId,
    correlationId,
    fingerprint,
    reason,
    lastAt,
    quarantinedAt,
  }: QuarantineEntry): Promise<void> {
    if (fingerprint === DEAD_LETTERS_FINGERPRINT) {
      // The check has sent its message once more; only new events show that a worker could process it.
      const head = await this.parts.store.head(streamId);
      const moved = !head || head.closed || head.updatedAt > (quarantinedAt ?? lastAt);
      if (!moved)
        return void (await this.parts.quarantine.recordFailure({ streamId, correlationId, fingerprint, reason }));
      await this.parts.deadLetters.markHandled(
        (await this.findRepeated()).filter((deadLetter) => phaseOf(deadLetter)?.jobId === correlationId),
      );
    }
    await this.parts.quarantine.forget([streamId]);
    if (quarantinedAt !== undefined) this.parts.logger.info({ stream: streamId }, 'a quarantined stream continues');
  }

  /** Returns false for errors that a retry, a process of another release, or some time may resolve. */
  private async isPermanent(error: unknown): Promise<boolean> {
    if (isUnreachable(error) || error instanceof QueueError) return false;
    if (!isFromNewerRelease(error)) return true;
    const { type, schemaVersion } = error.event;
    const processes = await this.parts.processes.listReports();
    return !processes.some(({ isDead, schemaVersions }) => !isDead && (schemaVersions[type] ?? 0) >= schemaVersion);
  }

  private findRepeated(): ReturnType<DeadLetters['findRepeated']> {
    return this.parts.deadLetters.findRepeated(this.options.maxDeadLetters);
  }

  private async count(streamId: StreamId, error: unknown): Promise<void> {
    const quarantinedBefore = (
      await this.parts.quarantine.list({ correlationId: jobOf(streamId), isQuarantined: true })
    ).map((known) => known.streamId);
    const entry = await this.parts.quarantine.recordFailure({
      streamId,
      correlationId: jobOf(streamId),
      ...describeError(error),
    });
    if (entry.quarantinedAt === undefined || quarantinedBefore.includes(streamId)) return;
    this.parts.logger.error(
      { error, stream: streamId, failures: entry.failures, nextCheckAt: entry.nextCheckAt },
      'a stream failed repeatedly in the same way; it is quarantined',
    );
  }

  /** Quarantines phases whose message became a dead letter, was sent again by the reconciler, and became one again. */
  private async countDeadLetters(): Promise<void> {
    const { countIntervalMs = COUNT_INTERVAL_MS } = this.options;
    if (performance.now() - this.countedAt < countIntervalMs) return;
    this.countedAt = performance.now();
    const known = new Set((await this.parts.quarantine.list({ isQuarantined: true })).map(({ streamId }) => streamId));
    for (const deadLetter of await this.findRepeated()) {
      const phase = phaseOf(deadLetter);
      const streamId = phase && phaseStream(phase.jobId, phase.phase);
      if (!streamId || known.has(streamId)) continue;
      const reason = `its message on ${deadLetter.queue} became a dead letter ${deadLetter.count} times, most recently because of: ${deadLetter.reason}`;
      await this.parts.quarantine.quarantineStream({
        streamId,
        correlationId: phase.jobId,
        fingerprint: DEAD_LETTERS_FINGERPRINT,
        reason,
      });
      this.parts.logger.error({ stream: streamId, reason }, 'no worker can process a phase; it is quarantined');
    }
  }
}

function describeError(error: unknown): { readonly fingerprint: string; readonly reason: string } {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // Times, positions and process ids differ between identical failures.
  return { reason, fingerprint: reason.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#') };
}

function jobOf(streamId: StreamId): string {
  return parseStreamName(streamId)?.jobId ?? streamId;
}

function phaseOf({ payload }: { readonly payload: unknown }): { jobId: JobId; phase: number } | undefined {
  const { json } = payload as { json?: { jobId?: unknown; phase?: unknown } | null };
  return typeof json?.jobId === 'string' && typeof json.phase === 'number' && json.phase > 0
    ? { jobId: json.jobId, phase: json.phase }
    : undefined;
}
