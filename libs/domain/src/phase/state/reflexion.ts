import type { PhaseEventData } from '../phase-events.js';
import { keep, type ChangeEvent } from './changed-groups.js';

/** What the model answered when it was asked about the failed attempt before this phase. */
export interface PhaseReflexion {
  readonly assumption?: string;
  readonly prevention?: string;
  /** Set if the phase continues without a reflection. */
  readonly isSkipped?: true;
  /** Set if the reflection names nothing of the attempt. No prompt contains it. */
  readonly isRefused?: true;
}

/** Folds one event. A phase that does not reflect has no such state. */
export function foldReflexion(reflexion: PhaseReflexion | undefined, event: ChangeEvent): PhaseReflexion | undefined {
  switch (event.type) {
    case 'ReflectionRecorded':
      return addPart(reflexion, event.data);
    case 'ReflectionSkipped':
      return { ...reflexion, isSkipped: true };
    default:
      return keep(reflexion, 'reflexion', event);
  }
}

function addPart(
  reflexion: PhaseReflexion | undefined,
  { part, text, refused }: PhaseEventData<'ReflectionRecorded'>,
): PhaseReflexion {
  return { ...reflexion, [part]: text, ...(refused === undefined ? {} : { isRefused: true }) };
}
