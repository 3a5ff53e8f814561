/** Time allowed for reading what follows the last event, so that the connection can be reused. */
const DRAIN_MS = 1_000;

/** A body that is not an answer, or only a part of one. */
export class UnreadableAnswer extends Error {
  readonly code = 'unreadable_answer';
  constructor(
    message: string,
    /** `not-an-api`: the server is not a Chat Completions API, so a retry cannot help. */
    readonly kind: 'broken' | 'not-an-api' = 'broken',
  ) {
    super(message);
  }
}

/** A body with more bytes than an answer within the requested limit can have. */
export class AnswerTooLong extends Error {
  readonly code = 'answer_too_long';
}

/** The connection broke in the middle of a body. */
export class ConnectionLost extends Error {
  readonly code = 'connection_lost';
}

export interface BodyHooks {
  readonly onBytes: () => void;
  /** Whether a failed read may be treated as the end of the body, because the answer is already complete. */
  readonly canEnd: () => boolean;
}

/** Reads the body of one answer piece by piece, as it arrives. */
export class BodyReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private bytes = 0;
  /** Maximum number of bytes to read. */
  limit = Infinity;

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly hooks: BodyHooks,
  ) {
    this.reader = body.getReader();
  }

  /** Reads the next piece. Returns `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const { value, done } = await this.reader.read().catch((error: unknown) => {
      if (this.hooks.canEnd()) return { value: undefined, done: true as const };
      throw new ConnectionLost('the connection broke', { cause: error });
    });
    if (done) return undefined;
    this.bytes += value.byteLength;
    if (this.bytes > this.limit) {
      this.cancel();
      throw new AnswerTooLong(`the body of the answer is longer than ${this.limit} bytes`);
    }
    this.hooks.onBytes();
    return value;
  }

  /** Discards the unread part of the body and closes the connection. */
  cancel(): void {
    this.reader.cancel().catch(() => undefined);
  }

  /** Reads to the end in the background. If the server does not finish in time, the connection is closed. */
  drain(): void {
    const timer = setTimeout(() => this.cancel(), DRAIN_MS);
    const read = async (): Promise<void> => {
      while (!(await this.reader.read()).done);
    };
    read()
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
  }
}
