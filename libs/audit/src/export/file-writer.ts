import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';

const BUFFER_BYTES = 1 << 20;

/**
 * Writes a file in pieces and hashes it. Each megabyte is written synchronously: the source of rows cannot be paused, so only blocking
 * keeps memory constant.
 */
export class FileWriter {
  bytes = 0;
  private readonly sum = createHash('sha256');
  private readonly descriptor: number;
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private used = 0;

  /** Creates the file. Throws if it already exists. */
  constructor(path: string) {
    this.descriptor = openSync(path, 'wx', 0o600);
  }

  write(piece: Buffer | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    if (this.used + bytes.length > BUFFER_BYTES) this.flush();
    if (bytes.length > BUFFER_BYTES) this.writeSynchronously(bytes);
    else {
      bytes.copy(this.buffer, this.used);
      this.used += bytes.length;
    }
  }

  /** Writes the remaining bytes, closes the file, and returns its SHA-256 in hex. */
  end(): string {
    this.flush();
    this.close();
    return this.sum.digest('hex');
  }

  /** Closes the file without writing the remaining bytes. */
  close(): void {
    closeSync(this.descriptor);
  }

  private flush(): void {
    this.writeSynchronously(this.buffer.subarray(0, this.used));
    this.used = 0;
  }

  private writeSynchronously(bytes: Buffer): void {
    this.sum.update(bytes);
    this.bytes += bytes.length;
    for (let at = 0; at < bytes.length;) at += writeSync(this.descriptor, bytes, at);
  }
}
