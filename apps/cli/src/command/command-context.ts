import type { Output } from '../output/output.js';

/** What a command is given. It reads nothing of the process by itself, so that it can be tested. */
export interface CommandContext {
  readonly out: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly currentDirectory: string;
  /** Aborted by Ctrl-C, SIGTERM, SIGHUP, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  /** The `--url` option. */
  readonly url: string | undefined;
  /** The `--api-key` option or PHASELINE_API_KEY. */
  readonly apiKey: string | undefined;
  readonly input: NodeJS.ReadableStream;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
