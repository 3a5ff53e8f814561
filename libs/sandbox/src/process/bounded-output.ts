import { MaskedStream, type SecretMask } from '@phaseline/basics/secrets';

/** Keeps the beginning and the end of a process's output in bounded memory: at most twice `limit` bytes. */
export class BoundedOutput {
  private readonly head: Buffer[] = [];
  private tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private total = 0;

  private readonly masked: MaskedStream | undefined;

  /**
   * `limit` is in bytes: half for the beginning, half for the end. Secrets are masked before the output is cut, because a part of a value
   * would not be recognised afterwards.
   */
  constructor(
    private readonly limit: number,
    mask?: SecretMask,
  ) {
    this.masked = mask && !mask.isEmpty ? new MaskedStream(mask) : undefined;
  }

  get bytes(): number {
    return this.total;
  }

  push(chunk: Buffer): void {
    this.add(this.masked?.push(chunk) ?? chunk);
  }

  private add(chunk: Buffer): void {
    this.total += chunk.byteLength;
    const room = Math.max(0, this.half - this.headBytes);
    const first = chunk.subarray(0, room);
    if (first.byteLength > 0) {
      // Copied, because a slice would keep the whole chunk in memory.
      this.head.push(Buffer.from(first));
      this.headBytes += first.byteLength;
    }
    const rest = chunk.subarray(room).subarray(-this.half);
    if (rest.byteLength === 0) return;
    this.tail.push(Buffer.from(rest));
    this.tailBytes += rest.byteLength;
    if (this.tailBytes > 2 * this.half) this.trim();
  }

  /** Returns the output as UTF-8, with a line that states how much was left out. */
  text(): string {
    if (this.masked) this.add(this.masked.end());
    this.trim();
    const head = Buffer.concat(this.head);
    const tail = Buffer.concat(this.tail);
    const omitted = this.total - head.byteLength - tail.byteLength;
    if (omitted <= 0) return Buffer.concat([head, tail]).toString('utf8');
    // A character split by the cut decodes to replacement characters.
    const before = head.toString('utf8').replace(/\ufffd$/, '');
    const after = tail.toString('utf8').replace(/^\ufffd{1,3}/, '');
    return `${before}\n[… ${omitted} of ${this.total} bytes omitted …]\n${after}`;
  }

  private get half(): number {
    return Math.ceil(this.limit / 2);
  }

  private trim(): void {
    const all = Buffer.concat(this.tail).subarray(-this.half);
    this.tail = all.byteLength > 0 ? [Buffer.from(all)] : [];
    this.tailBytes = all.byteLength;
  }
}
