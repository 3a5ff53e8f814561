import { readFile, writeFile } from 'node:fs/promises';

/** What a writer knows of an event that it has sent. */
export const fate = {
  /** Sent, and the connection broke before an answer came. */
  unknown: 0,
  acknowledged: 1,
  /** The store said that it was not taken. */
  refused: 2,
} as const;

/** Of each event a writer has sent: its command, its stream, its version and its fate. Some bytes each, so that a million fit. */
export class Journal {
  private constructor(
    private fields: Uint32Array,
    private count: number,
  ) {}

  static empty(): Journal {
    return new Journal(new Uint32Array(4 * 1_024), 0);
  }

  get length(): number {
    return this.count;
  }

  /** Before an event is sent. Returns its number, counted from 0. */
  add(command: number, stream: number): number {
    if (4 * (this.count + 1) > this.fields.length) {
      const larger = new Uint32Array(this.fields.length * 2);
      larger.set(this.fields);
      this.fields = larger;
    }
    this.fields.set([command, stream, 0, fate.unknown], 4 * this.count);
    return this.count++;
  }

  settle(sequence: number, how: number, version = 0): void {
    this.fields[4 * sequence + 2] = version;
    this.fields[4 * sequence + 3] = how;
  }

  entry(sequence: number): {
    readonly command: number;
    readonly stream: number;
    readonly version: number;
    readonly fate: number;
  } {
    const [command, stream, version, how] = this.fields.subarray(4 * sequence, 4 * sequence + 4);
    return { command: command!, stream: stream!, version: version!, fate: how! };
  }

  save(path: string): Promise<void> {
    return writeFile(path, new Uint8Array(this.fields.buffer, 0, 16 * this.count));
  }

  static async load(path: string): Promise<Journal> {
    const bytes = await readFile(path);
    const fields = new Uint32Array(bytes.byteLength / 4);
    new Uint8Array(fields.buffer).set(bytes);
    return new Journal(fields, fields.length / 4);
  }
}
