import type { HttpEmbedder } from '@phaseline/embeddings';

/** Time in milliseconds that a search waits for the embedding of its text. Agents, people and dispatched phases wait for it. */
const TIMEOUT_MS = 1_500;

/** Time in milliseconds for which searches do without embeddings after a failure, so that not every one of them waits for a server that does not answer. */
export const PAUSE_MS = 30_000;

export interface QueryEmbedderOptions {
  /** Called after each failure, and not for the searches that do without embeddings because of it. */
  readonly onProblem: (error: unknown) => void;
  readonly timeoutMs?: number | undefined;
  /** Returns milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/** Embeds the texts of searches while the server answers. After a failure the server is asked again after a pause, first for one search alone. */
export class QueryEmbedder {
  private pausedUntilMs: number | undefined;
  private readonly onProblem: (error: unknown) => void;
  private readonly timeoutMs: number;
  private readonly now: () => number;

  constructor(
    private readonly embedder: HttpEmbedder,
    { onProblem, timeoutMs = TIMEOUT_MS, now = () => performance.now() }: QueryEmbedderOptions,
  ) {
    this.onProblem = onProblem;
    this.timeoutMs = timeoutMs;
    this.now = now;
  }

  /** Returns the vector of a text; undefined if the server does not answer in time, or failed within the last 30 seconds. */
  async embed(text: string): Promise<Float32Array | undefined> {
    if (this.pausedUntilMs !== undefined) {
      if (this.now() < this.pausedUntilMs) return undefined;
      // Other searches do not wait for the one that finds out whether the server answers again.
      this.pausedUntilMs = this.now() + PAUSE_MS;
    }
    try {
      const [vector] = await this.embedder.embed([text], AbortSignal.timeout(this.timeoutMs));
      this.pausedUntilMs = undefined;
      return vector;
    } catch (error) {
      this.pausedUntilMs = this.now() + PAUSE_MS;
      this.onProblem(error);
      return undefined;
    }
  }
}
