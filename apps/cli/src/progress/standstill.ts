import type { PhaselineClient, WaitsFor } from '@phaseline/client';

export interface StandstillOptions {
  readonly signal: AbortSignal;
  /** A job that has not moved for so long is asked what it waits for, in milliseconds; and again each time that has passed. */
  readonly afterMs?: number;
  /** Told when there is another answer. */
  readonly onChange: (waitsFor: WaitsFor) => void;
}

/** Longer than most steps of a job, shorter than a person waits before they wonder. */
const AFTER_MS = 5_000;

/** Asks what a job waits for while none of its events come. */
export class Standstill {
  #movedAt = performance.now();
  #askedAt = performance.now();
  #asking = false;
  #answer: WaitsFor | undefined;
  readonly #afterMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(
    private readonly client: Pick<PhaselineClient, 'get'>,
    private readonly jobId: string,
    private readonly options: StandstillOptions,
  ) {
    this.#afterMs = options.afterMs ?? AFTER_MS;
    this.#timer = setInterval(() => void this.#look(), Math.max(10, this.#afterMs / 5));
    this.#timer.unref();
  }

  /** What it waited for when it was asked last; undefined while it moves. */
  get waitsFor(): WaitsFor | undefined {
    return this.#answer;
  }

  /** An event came. */
  moved(): void {
    this.#movedAt = performance.now();
    this.#answer = undefined;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const now = performance.now();
    if (this.#asking || now - Math.max(this.#movedAt, this.#askedAt) < this.#afterMs) return;
    this.#asking = true;
    this.#askedAt = now;
    const before = this.#movedAt;
    try {
      const { waitsFor } = await this.client.get(this.jobId, { signal: this.options.signal });
      // What came while it was being asked is newer than the answer.
      if (!waitsFor || this.#movedAt !== before) return;
      const changed = waitsFor.text !== this.#answer?.text || waitsFor.problem !== this.#answer.problem;
      this.#answer = waitsFor;
      if (changed) this.options.onChange(waitsFor);
    } catch {
      // The stream of events tells when the server is away.
    } finally {
      this.#asking = false;
    }
  }
}

/** `waits for a worker … (no message for it is queued; …)` */
export function waitsForText({ text, problem }: WaitsFor): string {
  return `waits for ${text}${problem === undefined ? '' : ` (${problem})`}`;
}
