import type { Output } from '../output/output.js';

/** What a command receives. Commands do not access `process` themselves, so that they can be tested. */
export interface CommandContext {
  readonly out: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly currentDirectory: string;
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP, and when the reader closes standard output. */
  readonly signal: AbortSignal;
  /** The `--url` option. */
  readonly url: string | undefined;
  /** The `--api-key` option or PHASELINE_API_KEY. */
  readonly apiKey: string | undefined;
  /** The `--on-behalf-of` option or PHASELINE_ON_BEHALF_OF. */
  readonly onBehalfOf: string | undefined;
  readonly input: NodeJS.ReadableStream;
  /** Current time in milliseconds since 1970. */
  readonly now: () => number;
}
