import { open, stat } from 'node:fs/promises';

const POLL_INTERVAL_MS = 400;
/** Maximum number of bytes to read per poll. */
const MAX_BYTES_PER_READ = 1_000_000;

/**
 * Calls `onLine` for every line written to a file from `start` until `stop`. It polls, because the services write their files
 * themselves. A file that is missing, or is replaced by a shorter one, is not an error.
 */
export class LogTail {
  private offset: number | undefined;
  private partialLine = '';
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly onLine: (line: string) => void,
  ) {}

  /** Starts at the current end of the file. */
  async start(): Promise<void> {
    this.offset = await this.readSize();
    this.timer = setInterval(() => {
      this.polling = this.polling.then(() => this.poll()).catch(() => undefined);
    }, POLL_INTERVAL_MS);
    this.timer.unref();
  }

  /** Reads what has been written so far, and stops. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.polling;
    await this.poll().catch(() => undefined);
  }

  private async poll(): Promise<void> {
    const size = await this.readSize();
    if (this.offset === undefined || size < this.offset) this.offset = 0;
    if (size === this.offset) return;
    const file = await open(this.path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.min(MAX_BYTES_PER_READ, size - this.offset)),
        0,
        undefined,
        this.offset,
      );
      this.offset += bytesRead;
      const lines = (this.partialLine + buffer.subarray(0, bytesRead).toString('utf8')).split('\n');
      this.partialLine = lines.pop() ?? '';
      lines.forEach(this.onLine);
    } finally {
      await file.close();
    }
  }

  private async readSize(): Promise<number> {
    return stat(this.path).then(
      (found) => found.size,
      () => 0,
    );
  }
}
