/** The beginning and the end of what a process wrote, however much that is. Holds at most twice `limit` bytes. */
export class KeptOutput {
  private readonly head: Buffer[] = [];
  private tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private total = 0;

  /** Half of `limit`, in bytes, goes to the beginning and half to the end. */
  constructor(private readonly limit: number) {}

  get bytes(): number {
    return this.total;
  }

  push(chunk: Buffer): void {
    this.total += chunk.byteLength;
    const room = Math.max(0, this.half - this.headBytes);
    const first = chunk.subarray(0, room);
    if (first.byteLength > 0) {
      // Copied, because a slice would keep the whole chunk.
      this.head.push(Buffer.from(first));
      this.headBytes += first.byteLength;
    }
    const rest = chunk.subarray(room).subarray(-this.half);
    if (rest.byteLength === 0) return;
    this.tail.push(Buffer.from(rest));
    this.tailBytes += rest.byteLength;
    if (this.tailBytes > 2 * this.half) this.trim();
  }

  /** As UTF-8, with a line that says what was left out. */
  text(): string {
    this.trim();
    const head = Buffer.concat(this.head);
    const tail = Buffer.concat(this.tail);
    const left = this.total - head.byteLength - tail.byteLength;
    if (left <= 0) return Buffer.concat([head, tail]).toString('utf8');
    // A character that a cut goes through would show as a replacement sign.
    const before = head.toString('utf8').replace(/\ufffd$/, '');
    const after = tail.toString('utf8').replace(/^\ufffd{1,3}/, '');
    return `${before}\n[… ${left} of ${this.total} bytes left out …]\n${after}`;
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
