import { findDueReflection, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/repository';

/** Returns what the recording answered to the parts of the reflection that are due. A recording without a reflection is repeated without one. */
export function findRecordedReflection(state: PhaseState, recorded: RecordedPhase): readonly PhaseEvent[] {
  const part = findDueReflection(state);
  if (!part) return [];
  const first = recorded.reflections.findIndex(({ data }) => data.part === part);
  if (first >= 0) return recorded.reflections.slice(first);
  const message = 'the recording has no reflection of this phase';
  return [{ type: 'ReflectionSkipped', data: { part, code: 'not_recorded', message } }];
}
