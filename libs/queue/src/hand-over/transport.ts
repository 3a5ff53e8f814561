import type { ProcessId } from '@phaseline/contracts';

/** A text for one process, or for all of them. */
export interface Letter {
  /** Undefined: for every process. */
  readonly to: ProcessId | undefined;
  readonly text: string;
}

/**
 * Carries short texts between processes in well under a millisecond. A text may get lost, so nothing may depend on its arrival.
 * Both backends of the queues have one.
 */
export interface Transport {
  /** Maximum length of a text in bytes. */
  readonly maxBytes: number;
  /** Receives the texts for this process and those for all, until `close`. Connects again after a lost connection. */
  listen(self: ProcessId, onText: (text: string) => void): Promise<void>;
  /** Sends texts. May reject, or lose them, while the server cannot be reached. */
  post(letters: readonly Letter[]): Promise<void>;
  close(): Promise<void>;
}
