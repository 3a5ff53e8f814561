/** What may follow the last event is read for so long, so that the connection can be used again. */
const DRAIN_MS = 1_000;

/** A body that is no answer, or not all of one. */
export class UnreadableAnswer extends Error {
  readonly code = 'unreadable_answer';
  constructor(
    message: string,
    /** `not-an-api`: what answers there is no Chat Completions API, and will not be one the next time. */
    readonly kind: 'broken' | 'not-an-api' = 'broken',
  ) {
    super(message);
  }
}

/** A body with more bytes than an answer of the length that was asked for can have. */
export class AnswerTooLong extends Error {
  readonly code = 'answer_too_long';
}

/** The connection broke in the middle of a body. */
export class ConnectionLost extends Error {
  readonly code = 'connection_lost';
}

export interface BodyHooks {
  readonly onBytes: () => void;
  /** Whether a read that fails now only means that nothing more came where nothing more was needed. */
  readonly mayEnd: () => boolean;
}

/** Reads the body of one answer in the pieces in which it comes. */
export class BodyReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  private bytes = 0;
  /** Bytes that are read at most. */
  limit = Infinity;

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly hooks: BodyHooks,
  ) {
    this.reader = body.getReader();
  }

  /** The next piece; `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const { value, done } = await this.reader.read().catch((error: unknown) => {
      if (this.hooks.mayEnd()) return { value: undefined, done: true as const };
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

  /** Gives up what has not been read, and the connection with it. */
  cancel(): void {
    this.reader.cancel().catch(() => undefined);
  }

  /** Reads to the end without anybody waiting for it; a server that does not end loses its connection. */
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
