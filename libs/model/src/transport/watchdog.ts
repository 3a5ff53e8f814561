import type { ModelTimeouts } from '../profile/model-profile.js';

/** After the finish reason only usage and `[DONE]` are to come; some servers send neither and leave the connection open. */
const AFTER_FINISH_MS = 5_000;

export type Alarm = 'aborted' | 'call' | 'first-byte' | 'idle' | 'after-finish';

/** Ends one attempt when its caller aborts it, or when it takes longer than the profile lets it. */
export class Watchdog {
  private readonly controller = new AbortController();
  private readonly callTimer: NodeJS.Timeout;
  private idleTimer: NodeJS.Timeout;
  private phase: 'first-byte' | 'idle' | 'after-finish' = 'first-byte';
  /** What ended the attempt. */
  alarm: Alarm | undefined;

  constructor(
    private readonly caller: AbortSignal,
    private readonly timeouts: ModelTimeouts,
  ) {
    this.callTimer = setTimeout(() => this.ring('call'), timeouts.callMs);
    this.idleTimer = setTimeout(() => this.ring('first-byte'), timeouts.firstByteMs);
    caller.addEventListener('abort', this.onCallerAbort, { once: true });
    if (caller.aborted) this.onCallerAbort();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Notes that bytes came. */
  sawBytes(): void {
    if (this.phase === 'first-byte') this.enter('idle', this.timeouts.idleMs);
    else this.idleTimer.refresh();
  }

  /** Notes that the answer is whole but for what may follow it. */
  sawFinish(): void {
    if (this.phase === 'idle') this.enter('after-finish', Math.min(AFTER_FINISH_MS, this.timeouts.idleMs));
  }

  stop(): void {
    clearTimeout(this.callTimer);
    clearTimeout(this.idleTimer);
    this.caller.removeEventListener('abort', this.onCallerAbort);
  }

  private enter(phase: 'idle' | 'after-finish', delayMs: number): void {
    clearTimeout(this.idleTimer);
    this.phase = phase;
    this.idleTimer = setTimeout(() => this.ring(phase), delayMs);
  }

  private readonly onCallerAbort = (): void => this.ring('aborted');

  private ring(alarm: Alarm): void {
    if (this.alarm) return;
    this.alarm = alarm;
    this.controller.abort();
  }
}
