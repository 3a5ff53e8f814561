import type { HttpEmbedder } from '@phaseline/embeddings';

/** Time in milliseconds that a search waits for the embedding of its text. Agents, people and dispatched phases wait for it. */
const TIMEOUT_MS = 1_500;

/** Time in milliseconds for which searches do without embeddings after a failure, so that not every one of them waits for a server that does not answer. */
export const PAUSE_MS = 30_000;

interface Clock {
  /** Returns milliseconds since some moment in the past. */
  now(): number;
  /** Returns a signal that is aborted after a time in milliseconds. */
  timeout(ms: number): AbortSignal;
}

const systemClock: Clock = { now: () => performance.now(), timeout: (ms) => AbortSignal.timeout(ms) };

interface QueryEmbedderOptions {
  /** Called after each failure, and not for the searches that do without embeddings because of it. */
  readonly onProblem: (error: unknown) => void;
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock;
}

/** Embeds the texts of searches while the server answers. After a failure the server is asked again after a pause, first for one search alone. */
export class QueryEmbedder {
  private pausedUntilMs: number | undefined;
  private readonly onProblem: (error: unknown) => void;
  private readonly timeoutMs: number;
  private readonly clock: Clock;

  constructor(
    private readonly embedder: HttpEmbedder,
    { onProblem, timeoutMs = TIMEOUT_MS, clock = systemClock }: QueryEmbedderOptions,
  ) {
    this.onProblem = onProblem;
    this.timeoutMs = timeoutMs;
    this.clock = clock;
  }

  /** Returns the vector of a text; undefined if the server does not answer in time, or failed within the last 30 seconds. */
  async embed(text: string): Promise<Float32Array | undefined> {
    if (this.pausedUntilMs !== undefined) {
      if (this.clock.now() < this.pausedUntilMs) return undefined;
      // Other searches do not wait for the one that finds out whether the server answers again.
      this.pausedUntilMs = this.clock.now() + PAUSE_MS;
    }
    try {
      const [vector] = await this.embedder.embed([text], this.clock.timeout(this.timeoutMs));
      this.pausedUntilMs = undefined;
      return vector;
    } catch (error) {
      this.pausedUntilMs = this.clock.now() + PAUSE_MS;
      this.onProblem(error);
      return undefined;
    }
  }
}
