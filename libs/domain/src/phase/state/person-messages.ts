/**
 * Counts of the messages that people sent to a phase, in the order in which they were sent. They survive a fold without the transcript, so that
 * the job knows which messages no model has answered.
 */
export interface PersonMessages {
  readonly received: number;
  /** Number of the oldest messages that the last call of the model contained, or that guards kept from it. */
  readonly sent: number;
  /** Number of the oldest messages in calls that the model answered. */
  readonly read: number;
}

export const NO_MESSAGES: PersonMessages = { received: 0, sent: 0, read: 0 };
