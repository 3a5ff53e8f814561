import type { Writable } from 'node:stream';
import { stringify as toYaml } from 'yaml';
import { paintFor, wantsColor, type Paint } from './paint.js';

/** A stream that may be a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What results are written as, where it is not text for people. `wide` is text with more columns. */
export const outputFormats = ['json', 'yaml', 'wide'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: NodeJS.ProcessEnv;
  /** The same as `format: 'json'`. */
  readonly json?: boolean;
  /** `-o`; text for people where it is missing. */
  readonly format?: OutputFormat | undefined;
  readonly color: boolean;
}

/** Narrower terminals get this width: tables and bars need some room. */
const NARROWEST = 40;

/**
 * Where a command writes. What it was asked for goes to standard output, what is said about it to standard error. A reader
 * that goes away (`| head`) is no error: the rest is dropped and `closed` tells long commands to stop.
 */
export class Output {
  /** Whether results are data for programs, as JSON or YAML. */
  readonly json: boolean;
  readonly wide: boolean;
  readonly #yaml: boolean;
  readonly paint: Paint;
  readonly errorPaint: Paint;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #closed = new AbortController();
  #bottom: ((lines: readonly string[]) => void) | undefined;

  constructor({ stdout, stderr, env, json: asJson = false, format, color }: OutputOptions) {
    const json = asJson || format === 'json' || format === 'yaml';
    this.json = json;
    this.wide = format === 'wide';
    this.#yaml = format === 'yaml';
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.paint = paintFor(!json && wantsColor({ flag: color, env, isTerminal: stdout.isTTY === true }));
    this.errorPaint = paintFor(!json && wantsColor({ flag: color, env, isTerminal: stderr.isTTY === true }));
    stdout.on('error', () => this.#closed.abort());
    stderr.on('error', () => {});
  }

  /** Aborted when nobody reads standard output any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Of the terminal; undefined where lines may be of any length. */
  get columns(): number | undefined {
    return this.isTerminal ? Math.max(NARROWEST, this.#stdout.columns ?? 80) : undefined;
  }

  lines(...lines: readonly string[]): void {
    if (lines.length > 0) this.write(`${lines.join('\n')}\n`);
  }

  /** One document, over several lines. */
  document(value: unknown): void {
    if (this.#yaml) this.write(`---\n${toYaml(value)}`);
    else this.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** One of many documents: a line of JSON Lines, or a document of a YAML stream. */
  record(value: unknown): void {
    if (this.#yaml) this.write(`---\n${toYaml(value)}`);
    else this.write(`${JSON.stringify(value)}\n`);
  }

  write(data: string | Uint8Array): void {
    if (!this.#closed.signal.aborted) this.#stdout.write(data);
  }

  /** While lines are redrawn at the bottom of the terminal, what is said goes through `above`; undefined ends that. */
  keepBottom(above: ((lines: readonly string[]) => void) | undefined): void {
    this.#bottom = above;
  }

  /** Says something that is not the result. */
  say(...lines: readonly string[]): void {
    if (this.#bottom && this.#stderr.isTTY) this.#bottom(lines);
    else if (this.#stderr.writable && lines.length > 0) this.#stderr.write(`${lines.join('\n')}\n`);
  }

  /** Returns when everything was handed to the system, so that the process may exit. */
  async flush(): Promise<void> {
    for (const stream of [this.#stdout, this.#stderr]) {
      // The callback comes after everything before it was written, or has failed.
      if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
    }
  }
}
