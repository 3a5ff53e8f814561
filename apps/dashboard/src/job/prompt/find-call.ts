import type { ModelCall } from '@phaseline/client';

/** Finds the index of the last call that had started at a position; -1 if none had. `calls` are in the order of their positions. */
export function findCallAt(calls: readonly ModelCall[], position: number): number {
  return calls.findLastIndex((call) => call.position <= position);
}

/** Names a call for people: `Step 3`, and its attempt and purpose unless it is the first attempt at the work of the step. */
export function nameCall({ step, attempt, purpose }: Pick<ModelCall, 'step' | 'attempt' | 'purpose'>): string {
  return [
    `Step ${step}`,
    ...(attempt === 1 ? [] : [`call ${attempt}`]),
    ...(purpose === 'work' ? [] : [{ summary: 'summary', judge: 'judge', reflection: 'reflection' }[purpose]]),
  ].join(', ');
}
