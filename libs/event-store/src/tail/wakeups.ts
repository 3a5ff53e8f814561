/**
 * Announces that a control event was committed: an append with `wake`. Announcements are hints that may get lost, so
 * whoever subscribes must also poll.
 */
export interface Wakeups {
  /** Calls back with the correlation id, or with undefined when announcements may have been missed. Returns a function that ends the subscription. */
  subscribe(callback: (correlationId: string | undefined) => void): () => void;
}
