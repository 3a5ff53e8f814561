import type { ModelTimeouts } from '../profile/model-profile.js';

/** Time to wait for usage and `[DONE]` after the finish reason; some servers send neither and keep the connection open. */
const AFTER_FINISH_TIMEOUT_MS = 5_000;

export type Alarm = 'aborted' | 'call' | 'first-byte' | 'idle' | 'after-finish';

/** Ends one attempt when its caller aborts it or when it exceeds a timeout of the profile. */
export class Watchdog {
  private readonly controller = new AbortController();
  private readonly callTimer: NodeJS.Timeout;
  private idleTimer: NodeJS.Timeout;
  private phase: 'first-byte' | 'idle' | 'after-finish' = 'first-byte';
  /** The timeout or abort that ended the attempt. */
  alarm: Alarm | undefined;

  constructor(
    private readonly caller: AbortSignal,
    private readonly timeouts: ModelTimeouts,
  ) {
    this.callTimer = setTimeout(() => this.trigger('call'), timeouts.callMs);
    this.idleTimer = setTimeout(() => this.trigger('first-byte'), timeouts.firstByteMs);
    caller.addEventListener('abort', this.onCallerAbort, { once: true });
    if (caller.aborted) this.onCallerAbort();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Records that bytes arrived. */
  recordBytes(): void {
    if (this.phase === 'first-byte') this.enterPhase('idle', this.timeouts.idleMs);
    else this.idleTimer.refresh();
  }

  /** Records that the answer is complete except for usage and `[DONE]`. */
  recordFinish(): void {
    if (this.phase === 'idle') this.enterPhase('after-finish', Math.min(AFTER_FINISH_TIMEOUT_MS, this.timeouts.idleMs));
  }

  stop(): void {
    clearTimeout(this.callTimer);
    clearTimeout(this.idleTimer);
    this.caller.removeEventListener('abort', this.onCallerAbort);
  }

  private enterPhase(phase: 'idle' | 'after-finish', delayMs: number): void {
    clearTimeout(this.idleTimer);
    this.phase = phase;
    this.idleTimer = setTimeout(() => this.trigger(phase), delayMs);
  }

  private readonly onCallerAbort = (): void => this.trigger('aborted');

  private trigger(alarm: Alarm): void {
    if (this.alarm) return;
    this.alarm = alarm;
    this.controller.abort();
  }
}
