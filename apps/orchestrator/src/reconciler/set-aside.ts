import { isFromNewerRelease, parseStreamName, phaseStream } from '@phaseline/domain';
import {
  isUnreachable,
  type DeadLetters,
  type EventStore,
  type ProcessRegistry,
  type Quarantine,
  type SetAside,
} from '@phaseline/event-store';
import { QueueError } from '@phaseline/queue';
import type { Logger } from 'pino';

/** Letters do not pile up faster than a message uses up its attempts, which takes minutes. */
const LETTERS_EVERY_MS = 30_000;

/** Tells phases that can be read, but that no worker can work on. A look at the stream finds nothing wrong with them. */
const GIVEN_UP = 'given-up';

export interface SetAsideParts {
  readonly quarantine: Quarantine;
  readonly letters: DeadLetters;
  readonly store: Pick<EventStore, 'head'>;
  readonly processes: Pick<ProcessRegistry, 'report'>;
  readonly logger: Logger;
}

export interface SetAsideOptions {
  /** Dead letters of one message after which its phase is set aside. */
  readonly letters: number;
  readonly lettersEveryMs?: number;
}

/** One pass of the reconciler, as far as it concerns what fails again and again. */
export interface WatchedPass {
  /** Whether a stream is left alone this time. */
  readonly skips: (streamId: string) => boolean;
  readonly failed: (streamId: string, error: unknown) => void;
  /** Writes down what failed, and what no longer does. */
  end(): Promise<void>;
}

/**
 * Sets aside what fails again and again in the same way: a stream that cannot be read, a job that cannot be decided, a phase
 * whose messages are given up time after time. It is looked at rarely from then on, until a person releases it, another
 * release of the code comes, or a look finds it mended. Failures that pass by themselves are not counted.
 */
export class SetAsideStreams {
  #lettersSeenAt = -Infinity;

  constructor(
    private readonly parts: SetAsideParts,
    private readonly options: SetAsideOptions,
  ) {}

  async begin(): Promise<WatchedPass> {
    const [skipped, known] = await Promise.all([this.parts.quarantine.notNow(), this.parts.quarantine.list()]);
    const failures = new Map<string, unknown>();
    return {
      skips: (streamId) => skipped.has(streamId),
      failed: (streamId, error) => void failures.set(streamId, error),
      end: async () => {
        for (const [streamId, error] of failures) if (await this.lasts(error)) await this.count(streamId, error);
        const looked = known.filter(({ streamId }) => !skipped.has(streamId) && !failures.has(streamId));
        for (const one of looked) await this.judge(one);
        await this.countLetters();
      },
    };
  }

  /** Has everything of a job looked at again at once. Returns the streams that were set aside or being counted. */
  async release(jobId: string): Promise<readonly string[]> {
    await this.parts.letters.settle((await this.repeated()).filter((letter) => phaseOf(letter)?.jobId === jobId));
    const streams = await this.parts.quarantine.release(jobId);
    if (streams.length > 0) this.parts.logger.info({ jobId, streams }, 'what was set aside is released');
    return streams;
  }

  /** What becomes of a stream that this pass looked at, and that gave no error. */
  private async judge({ streamId, correlationId, fingerprint, reason, lastAt, setAsideAt }: SetAside): Promise<void> {
    if (fingerprint === GIVEN_UP) {
      // The look has sent its message once more; only events tell that a worker could do something with it.
      const head = await this.parts.store.head(streamId);
      const moved = !head || head.closed || head.updatedAt > (setAsideAt ?? lastAt);
      if (!moved) return void (await this.parts.quarantine.failed({ streamId, correlationId, fingerprint, reason }));
      await this.parts.letters.settle(
        (await this.repeated()).filter((letter) => phaseOf(letter)?.jobId === correlationId),
      );
    }
    await this.parts.quarantine.forget([streamId]);
    if (setAsideAt !== undefined) this.parts.logger.info({ stream: streamId }, 'what was set aside goes on');
  }

  /** False for what another try, a process of another release or a little time may mend. */
  private async lasts(error: unknown): Promise<boolean> {
    if (isUnreachable(error) || error instanceof QueueError) return false;
    if (!isFromNewerRelease(error)) return true;
    const { type, schemaVersion } = error.event;
    const processes = await this.parts.processes.report();
    return !processes.some(({ dead, knows }) => !dead && (knows[type] ?? 0) >= schemaVersion);
  }

  private repeated(): ReturnType<DeadLetters['repeated']> {
    return this.parts.letters.repeated(this.options.letters);
  }

  private async count(streamId: string, error: unknown): Promise<void> {
    const before = (await this.parts.quarantine.list({ correlationId: jobOf(streamId), setAside: true })).map(
      (known) => known.streamId,
    );
    const now = await this.parts.quarantine.failed({ streamId, correlationId: jobOf(streamId), ...describe(error) });
    if (now.setAsideAt === undefined || before.includes(streamId)) return;
    this.parts.logger.error(
      { error, stream: streamId, failures: now.failures, nextLookAt: now.nextLookAt },
      'a stream failed in the same way again and again; it is set aside',
    );
  }

  /** A phase whose message is given up, sent again by the reconciler, and given up again. */
  private async countLetters(): Promise<void> {
    const { lettersEveryMs = LETTERS_EVERY_MS } = this.options;
    if (performance.now() - this.#lettersSeenAt < lettersEveryMs) return;
    this.#lettersSeenAt = performance.now();
    const known = new Set((await this.parts.quarantine.list({ setAside: true })).map(({ streamId }) => streamId));
    for (const letter of await this.repeated()) {
      const phase = phaseOf(letter);
      const streamId = phase && phaseStream(phase.jobId, phase.phase);
      if (!streamId || known.has(streamId)) continue;
      const reason = `its message on ${letter.queue} was given up ${letter.letters} times, the last time with: ${letter.reason}`;
      await this.parts.quarantine.setAside({ streamId, correlationId: phase.jobId, fingerprint: GIVEN_UP, reason });
      this.parts.logger.error({ stream: streamId, reason }, 'a phase is given up by every worker; it is set aside');
    }
  }
}

function describe(error: unknown): { readonly fingerprint: string; readonly reason: string } {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // Times, positions and process ids differ from one failure to the next that is the same.
  return { reason, fingerprint: reason.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#') };
}

function jobOf(streamId: string): string {
  return parseStreamName(streamId)?.jobId ?? streamId;
}

function phaseOf({ payload }: { readonly payload: unknown }): { jobId: string; phase: number } | undefined {
  const { json } = payload as { json?: { jobId?: unknown; phase?: unknown } | null };
  return typeof json?.jobId === 'string' && typeof json.phase === 'number' && json.phase > 0
    ? { jobId: json.jobId, phase: json.phase }
    : undefined;
}
