import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';

const BUFFER_BYTES = 1 << 20;

/**
 * Writes a file piece by piece and hashes it on the way. It waits for the disk at every megabyte, which keeps memory constant while
 * rows come in that cannot be told to wait.
 */
export class FileWriter {
  bytes = 0;
  private readonly sum = createHash('sha256');
  private readonly descriptor: number;
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private used = 0;

  /** Fails when the file is there already. */
  constructor(path: string) {
    this.descriptor = openSync(path, 'wx', 0o600);
  }

  write(piece: Buffer | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (this.used + bytes.length > BUFFER_BYTES) this.flush();
    if (bytes.length > BUFFER_BYTES) this.put(bytes);
    else {
      bytes.copy(this.buffer, this.used);
      this.used += bytes.length;
    }
  }

  /** Closes the file; returns its SHA-256 in hex. */
  end(): string {
    this.flush();
    this.close();
    return this.sum.digest('hex');
  }

  /** Gives it up. */
  close(): void {
    closeSync(this.descriptor);
  }

  private flush(): void {
    this.put(this.buffer.subarray(0, this.used));
    this.used = 0;
  }

  private put(bytes: Buffer): void {
    this.sum.update(bytes);
    this.bytes += bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.descriptor, bytes, at);
  }
}
