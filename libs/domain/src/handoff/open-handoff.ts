import type { JobEventData } from '../job/job-events.js';
import type { Handoff } from './handoff-events.js';

/** A handoff whose receiver has not ended. */
export interface OpenHandoff extends Handoff {
  /** The phase of the receiver, once it was accepted. */
  readonly receiver?: number;
}

type HandoffType =
  'HandoffIssued' | 'HandoffAccepted' | 'HandoffRefused' | 'HandoffCompleted' | 'HandoffTimedOut' | 'HandoffRolledBack';
type HandoffEvent = { readonly [T in HandoffType]: { readonly type: T; readonly data: JobEventData<T> } }[HandoffType];

/** Folds an event of a handoff. Only the newest handoff can be open, because one phase runs at a time. */
export function evolveHandoff(open: OpenHandoff | undefined, event: HandoffEvent): OpenHandoff | undefined {
  switch (event.type) {
    case 'HandoffIssued': {
      const { phase: _sender, ...handoff } = event.data;
      return handoff;
    }
    case 'HandoffAccepted':
      return open && { ...open, receiver: event.data.phase };
    case 'HandoffRolledBack':
      return open;
    case 'HandoffRefused':
    case 'HandoffCompleted':
    case 'HandoffTimedOut':
      return undefined;
  }
}
