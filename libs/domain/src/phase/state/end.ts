import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** How a phase ended. */
export type PhaseEnd =
  | (PhaseEventData<'PhaseCompleted'> & { readonly kind: 'completed' })
  | (PhaseEventData<'PhaseFailed'> & { readonly kind: 'failed' })
  | (PhaseEventData<'PhaseCancelled'> & { readonly kind: 'cancelled' });

export function foldEnd(end: PhaseEnd | undefined, event: ChangeEvent): PhaseEnd | undefined {
  switch (event.type) {
    case 'PhaseCompleted':
      return { kind: 'completed', ...event.data };
    case 'PhaseFailed':
      return { kind: 'failed', ...event.data };
    case 'PhaseCancelled':
      return { kind: 'cancelled', ...event.data };
    default:
      return keep(end, 'end', event);
  }
}
