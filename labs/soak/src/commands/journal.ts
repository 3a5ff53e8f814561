import { readFile, writeFile } from 'node:fs/promises';

/** What a writer knows about an event that it has sent. */
export const FATES = {
  /** Sent, but the connection broke before a response arrived. */
  unknown: 0,
  acknowledged: 1,
  /** The store refused it. */
  refused: 2,
} as const;

/** Records command, stream, version and outcome of each event that a writer has sent. Compact, so that a million events fit. */
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

  /** Adds an event before it is sent. Returns its zero-based number. */
  add(command: number, stream: number): number {
    if (4 * (this.count + 1) > this.fields.length) {
      const larger = new Uint32Array(this.fields.length * 2);
      larger.set(this.fields);
      this.fields = larger;
    }
    this.fields.set([command, stream, 0, FATES.unknown], 4 * this.count);
    return this.count++;
  }

  setFate(sequence: number, outcome: number, version = 0): void {
    this.fields[4 * sequence + 2] = version;
    this.fields[4 * sequence + 3] = outcome;
  }

  entry(sequence: number): {
    readonly command: number;
    readonly stream: number;
    readonly version: number;
    readonly fate: number;
  } {
    const [command, stream, version, outcome] = this.fields.subarray(4 * sequence, 4 * sequence + 4);
    return { command: command!, stream: stream!, version: version!, fate: outcome! };
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
