import type { PlanNode } from '../session.js';
import { buildNode, capitalise, type Draft } from './draft.js';
import { countFreeMinutes, roundUp } from './plan-frame.js';
import { planSessions, type PlanSessions } from './plan-sessions.js';
import { listSteps } from './list-steps.js';

/** Rhythm of a cycle for which none was stated. */
const DEFAULT_RHYTHM = { unit: 'week', interval: 1, times: 3 } as const;
const DAILY_RHYTHM = { unit: 'day', interval: 1 } as const;
/** Sessions from this length end with a note of what was done. */
const MIN_NOTED_MINUTES = 30;
const NOTE_MINUTES = 5;
const PREPARATION_MINUTES = 30;
/** More sessions a day are one routine. */
const MAX_SESSIONS_PER_DAY = 4;

/** Plans the sessions of a cycle. `roomPerDay` is left to other work, in minutes. */
export function planCycle({ goal, frame, changes }: Draft, roomPerDay: number, minutes?: number): PlanSessions {
  const isDaily =
    frame.effort.perDay !== undefined || /\b(?:daily|day|morning|evening|night|routine|habit)\b/i.test(goal.text);
  const rhythm = frame.rhythm ?? (isDaily ? DAILY_RHYTHM : DEFAULT_RHYTHM);
  const { sessionFactor: factor, hasRestWeeks } = changes;
  return planSessions(frame, rhythm, { factor, hasRestWeeks, roomPerDay, ...(minutes !== undefined && { minutes }) });
}

/** Builds a cycle: sessions by one rule, and their preparation if there is time for it. */
export function buildCycle(draft: Draft): readonly PlanNode[] {
  const sessions = planCycle(draft, 0);
  const { frame, goal } = draft;
  const days = new Set(sessions.days);
  // The note of a session takes a slot of its own.
  const free = countFreeMinutes(frame, (day) =>
    days.has(day) ? roundUp(sessions.minutes) + roundUp(NOTE_MINUTES) : 0,
  );
  const hasPreparation = free >= 2 * PREPARATION_MINUTES;
  return [
    ...buildSessions(draft, sessions, goal.aim.title, true),
    ...(hasPreparation
      ? [
          buildNode('c1p1', 'c1', ['L3', 'once'], {
            title: `Prepare what is needed for ${goal.aim.object}`,
            estimateMinutes: PREPARATION_MINUTES,
          }),
        ]
      : []),
  ];
}

/** Builds the L1 node of a cycle with the tasks of each session. `mayNote`: whether a long session ends with a note of what was done. */
export function buildSessions(
  { goal, frame }: Draft,
  { rule, minutes }: PlanSessions,
  title: string,
  mayNote: boolean,
): readonly PlanNode[] {
  const times = frame.rhythm?.unit === 'day' ? Math.min(MAX_SESSIONS_PER_DAY, Math.max(1, frame.rhythm.times ?? 1)) : 1;
  const hasNote = mayNote && times === 1 && minutes >= MIN_NOTED_MINUTES;
  const length = Math.max(1, Math.floor((hasNote ? minutes - NOTE_MINUTES : minutes) / times));
  const mains = Array.from({ length: times }, (_, index) =>
    buildNode(`c1t${index + 1}`, 'c1', ['L3', 'recurring'], {
      title: times === 1 ? `Session: ${goal.aim.title}` : `Session ${index + 1} of the day: ${goal.aim.title}`,
      estimateMinutes: length,
    }),
  );
  return [
    buildNode('c1', null, ['L1', 'recurring'], { title, recurrence: rule }),
    ...mains,
    ...(hasNote
      ? [
          buildNode('c1n', 'c1', ['L3', 'recurring'], {
            title: `Note what was done: ${goal.aim.subject}`,
            estimateMinutes: NOTE_MINUTES,
          }),
        ]
      : []),
  ];
}

/** Builds a routine: each round consists of the same actions. */
export function buildRoutine(draft: Draft): readonly PlanNode[] {
  const { rule, minutes } = planCycle(draft, 0);
  const { title, subject } = draft.goal.aim;
  const { hours } = draft.goal;
  // Each step begins with a slot of its own.
  const room = hours === undefined ? minutes : Math.min(minutes, Math.floor((hours.to - hours.from) / roundUp(1)));
  const steps = listSteps(draft.goal).slice(0, Math.max(1, room));
  const length = Math.max(1, Math.floor(minutes / steps.length));
  return [
    buildNode('c1', null, ['L1', 'recurring'], { title, recurrence: rule }),
    buildNode('c1t1', 'c1', ['L3', 'recurring'], {
      title: `Round of ${subject}`,
      estimateMinutes: length * steps.length,
    }),
    ...steps.map((step, index) =>
      buildNode(`c1t1a${index + 1}`, 'c1t1', ['L4', 'recurring'], { title: capitalise(step), estimateMinutes: length }),
    ),
  ];
}
