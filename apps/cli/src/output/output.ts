import type { Writable } from 'node:stream';
import { stringify as toYaml } from 'yaml';
import { escapeJson, toPrintableLines } from './printable.js';
import { createPaint, shouldUseColor, type Paint } from './paint.js';

/** A stream that may be a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number | undefined };

/** Values of `-o`. Default is text for people; `wide` is text with more columns. */
export const outputFormats = ['json', 'yaml', 'wide'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: NodeJS.ProcessEnv;
  /** The same as `format: 'json'`. */
  readonly json?: boolean;
  /** Value of `-o`; default: text for people. */
  readonly format?: OutputFormat | undefined;
  readonly color: boolean;
}

/** Width assumed for narrower terminals, because tables and bars need some space. */
const MIN_COLUMNS = 40;

/**
 * Output of a command: results go to standard output, messages to standard error. A reader that closes the pipe (`| head`) is not an
 * error: further output is dropped, and `closed` tells long commands to stop.
 */
export class Output {
  /** Whether results are data for programs, as JSON or YAML. */
  readonly isStructured: boolean;
  readonly isWide: boolean;
  private readonly yaml: boolean;
  readonly paint: Paint;
  readonly errorPaint: Paint;
  private readonly stdout: OutputStream;
  private readonly stderr: OutputStream;
  private readonly closed = new AbortController();
  private bottom: ((lines: readonly string[]) => void) | undefined;

  constructor({ stdout, stderr, env, json: asJson = false, format, color }: OutputOptions) {
    const json = asJson || format === 'json' || format === 'yaml';
    this.isStructured = json;
    this.isWide = format === 'wide';
    this.yaml = format === 'yaml';
    this.stdout = stdout;
    this.stderr = stderr;
    this.paint = createPaint(!json && shouldUseColor({ flag: color, env, isTerminal: stdout.isTTY === true }));
    this.errorPaint = createPaint(!json && shouldUseColor({ flag: color, env, isTerminal: stderr.isTTY === true }));
    stdout.on('error', () => this.closed.abort());
    stderr.on('error', () => {});
  }

  /** Aborted when the reader closes standard output. */
  get closedSignal(): AbortSignal {
    return this.closed.signal;
  }

  get isTerminal(): boolean {
    return this.stdout.isTTY === true;
  }

  /** Width of the terminal; undefined if standard output is not a terminal. */
  get columns(): number | undefined {
    return this.isTerminal ? Math.max(MIN_COLUMNS, this.stdout.columns ?? 80) : undefined;
  }

  writeLines(...lines: readonly string[]): void {
    if (lines.length > 0) this.write(`${lines.join('\n')}\n`);
  }

  /** Writes one document, indented. */
  writeDocument(value: unknown): void {
    if (this.yaml) this.writeYaml(value);
    else this.write(`${escapeJson(JSON.stringify(value, null, 2))}\n`);
  }

  /** Writes one of many documents: a line of JSON Lines, or a document of a YAML stream. */
  writeRecord(value: unknown): void {
    if (this.yaml) this.writeYaml(value);
    else this.write(`${escapeJson(JSON.stringify(value))}\n`);
  }

  /** Writes the content of a file. On a terminal it is shown so that it can change nothing else there. */
  writeFile(content: Uint8Array): void {
    this.write(this.isTerminal ? toPrintableLines(new TextDecoder().decode(content)) : content);
  }

  /** YAML has characters that cannot be escaped everywhere, so they are replaced on a terminal, and kept for programs. */
  private writeYaml(value: unknown): void {
    const text = `---\n${toYaml(value)}`;
    this.write(this.isTerminal ? toPrintableLines(text) : text);
  }

  write(data: string | Uint8Array): void {
    if (!this.closed.signal.aborted) this.stdout.write(data);
  }

  /** Sends messages of `say` to `above` while lines are redrawn at the bottom of the terminal; undefined ends that. */
  setMessageHandler(above: ((lines: readonly string[]) => void) | undefined): void {
    this.bottom = above;
  }

  /** Writes a message that is not part of the result. */
  writeMessage(...lines: readonly string[]): void {
    if (this.bottom && this.stderr.isTTY) this.bottom(lines);
    else if (this.stderr.writable && lines.length > 0) this.stderr.write(`${lines.join('\n')}\n`);
  }

  /** Resolves when all output was handed to the operating system, so that the process may exit. */
  async flush(): Promise<void> {
    for (const stream of [this.stdout, this.stderr]) {
      // The callback runs after all earlier writes have finished or failed.
      if (stream.writable) await new Promise<void>((resolve) => stream.write('', () => resolve()));
    }
  }
}
