import { open, stat } from 'node:fs/promises';

/** Often enough for a person, and next to nothing for the machine. */
const LOOK_EVERY_MS = 400;
/** One look reads this much at most; a service that logs faster than that is shown in part. */
const READ_AT_ONCE = 1_000_000;

/**
 * Hands on every line that is written to a file from now on, until `stop`. The services write to their files by themselves,
 * so it looks again and again; a file that is missing, or was replaced by a shorter one, is no error.
 */
export class LogTail {
  #offset: number | undefined;
  #rest = '';
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly onLine: (line: string) => void,
  ) {}

  /** From the end of what is there now. */
  async start(): Promise<void> {
    this.#offset = await this.#size();
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look()).catch(() => undefined);
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Hands on what was written until now, and no more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#look().catch(() => undefined);
  }

  async #look(): Promise<void> {
    const size = await this.#size();
    if (this.#offset === undefined || size < this.#offset) this.#offset = 0;
    if (size === this.#offset) return;
    const file = await open(this.path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.min(READ_AT_ONCE, size - this.#offset)),
        0,
        undefined,
        this.#offset,
      );
      this.#offset += bytesRead;
      const lines = (this.#rest + buffer.subarray(0, bytesRead).toString('utf8')).split('\n');
      this.#rest = lines.pop() ?? '';
      lines.forEach(this.onLine);
    } finally {
      await file.close();
    }
  }

  async #size(): Promise<number> {
    return stat(this.path).then(
      (found) => found.size,
      () => 0,
    );
  }
}
