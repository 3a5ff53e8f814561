import type { JobId } from '@phaseline/contracts';

/**
 * Announces committed control events (appends with `wake`). Announcements are hints that may get lost, so subscribers must poll as
 * well.
 */
export interface Wakeups {
  /**
   * Registers a callback for the correlation id of control events, or undefined if announcements may have been missed. Returns a
   * function that removes it.
   */
  subscribe(callback: (correlationId: JobId | undefined) => void): () => void;
}
