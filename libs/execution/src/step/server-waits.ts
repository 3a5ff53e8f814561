import type { StreamId } from '@phaseline/contracts';
import { phaseStream, type PhaseState } from '@phaseline/domain';
import type { ModelError } from '@phaseline/model';
import type { ConfiguredModel } from '../ports.js';
import { canEndEarly, computePauseMs, type Outage } from './outage.js';
import type { OutageWatch } from './outage-watch.js';

/** Pauses phases until the next attempt at an unreachable model server is due. */
export class ServerWaits {
  /** Functions that end a pause on request, by stream of the phase. */
  private readonly pauses = new Map<string, () => void>();

  constructor(private readonly watch: OutageWatch) {}

  /** Waits until the next attempt is due, and returns the outage updated at that time. Throws when the signal fires. */
  async wait(
    { start }: PhaseState,
    outage: Outage,
    error: ModelError,
    { profile, model }: ConfiguredModel,
    signal: AbortSignal,
  ): Promise<Outage> {
    const streamId = phaseStream(start.identity.jobId, start.identity.phase);
    const woken = await this.watch
      .pause(profile.name, model, {
        delayMs: computePauseMs(outage, error, start.identity.jobId),
        signal,
        isDeaf: !canEndEarly(outage, error),
        register: (wake) => this.pauses.set(streamId, wake),
      })
      .finally(() => this.pauses.delete(streamId));
    signal.throwIfAborted();
    return {
      // A person's request restarts the sequence, with short pauses first.
      attempts: woken === 'request' ? 0 : outage.attempts,
      answeredOthers: outage.answeredOthers + (woken === 'answer' ? 1 : 0),
      probes: outage.probes + (woken === 'probe' ? 1 : 0),
    };
  }

  /** Ends the pause of a phase, if there is one. */
  wake(streamId: StreamId): void {
    this.pauses.get(streamId)?.();
  }

  /** Wakes the phases that wait for a server, because it has answered a call. */
  wakeWaiting(name: string): void {
    this.watch.wakeWaiting(name);
  }
}
