import type { JobEvent } from '../job/job-events.js';
import type { JobState } from '../job/job-state.js';

/** Builds the timer of a handoff whose receiver is the phase that begins now. */
export function buildHandoffTimer(phase: number, timeoutMs: number, now: Date): JobEvent {
  const dueAt = new Date(now.getTime() + timeoutMs).toISOString();
  return { type: 'TimerSet', data: { timer: `handoff-${phase}`, kind: 'handoff', dueAt } };
}

/** Moves the timer of the open handoff by a time in which its receiver could not work: a pause, or the wait for an answer. */
export function moveHandoffTimer({ timers }: JobState, byMs: number): readonly JobEvent[] {
  return Object.entries(timers).flatMap(([timer, { kind, dueAt }]): readonly JobEvent[] =>
    kind === 'handoff'
      ? [{ type: 'TimerSet', data: { timer, kind, dueAt: new Date(Date.parse(dueAt) + byMs).toISOString() } }]
      : [],
  );
}

/** Name of the timer of the open handoff, if it is due. */
export function findOverdueHandoff({ timers }: JobState, now: Date): string | undefined {
  return Object.entries(timers).find(
    ([, { kind, dueAt }]) => kind === 'handoff' && Date.parse(dueAt) <= now.getTime(),
  )?.[0];
}
