import type { InboxItem } from '@phaseline/client';

/** The outcome of a decision, shown above the entry that follows. */
export interface Outcome {
  readonly tone: 'ok' | 'warn';
  readonly text: string;
  /** Whether the entry waits no more, so that the next one is shown. */
  readonly isOver: boolean;
}

/** What each part that shows an entry receives. */
export interface DetailProps {
  readonly item: InboxItem;
  readonly onDecided: (outcome: Outcome) => void;
}
