import type { PlanNode } from '../session.js';
import { buildNode, capitalise, type Draft } from './draft.js';
import { countFreeMinutes, roundUp } from './plan-frame.js';
import { findRate } from '../work-rates.js';
import { planSessions, type PlanSessions } from './plan-sessions.js';
import { listSteps } from './list-steps.js';

/** Rhythm of a cycle for which none was stated. */
const DEFAULT_RHYTHM = { unit: 'week', interval: 1, times: 3 } as const;
const DAILY_RHYTHM = { unit: 'day', interval: 1 } as const;
/** Longest session of the default rhythm: more work per week is done on more days. */
const MAX_DEFAULT_MINUTES = 120;
const PREPARATION_MINUTES = 30;
/** More sessions a day are one routine. */
const MAX_SESSIONS_PER_DAY = 4;

/** Plans the sessions of a cycle. `roomPerDay` is left to other work, in minutes. */
export function planCycle({ goal, frame, changes }: Draft, roomPerDay: number, minutes?: number): PlanSessions {
  const isDaily =
    frame.effort.perDay !== undefined || /\b(?:daily|day|morning|evening|night|routine|habit)\b/i.test(goal.text);
  const days = Math.ceil((frame.effort.perWeek ?? 0) / MAX_DEFAULT_MINUTES);
  const times = Math.max(DEFAULT_RHYTHM.times, Math.min(frame.openMinutes.size, days));
  const rhythm = frame.rhythm ?? (isDaily ? DAILY_RHYTHM : { ...DEFAULT_RHYTHM, times });
  const { sessionFactor: factor, hasRestWeeks } = changes;
  return planSessions(frame, rhythm, { factor, hasRestWeeks, roomPerDay, ...(minutes !== undefined && { minutes }) });
}

/** Builds a cycle: sessions by one rule, and their preparation if there is time for it. */
export function buildCycle(draft: Draft): readonly PlanNode[] {
  const { frame, goal } = draft;
  const sessions = planCycle(draft, 0, countAmountMinutes(goal));
  const days = new Set(sessions.days);
  const free = countFreeMinutes(frame, (day) => (days.has(day) ? roundUp(sessions.minutes) : 0));
  const hasPreparation = free >= 2 * PREPARATION_MINUTES;
  return [
    ...buildSessions(draft, sessions, goal.aim.title),
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

/** Minutes that a stated amount per day or session takes, if its work is known. */
function countAmountMinutes({ measure, text }: Draft['goal']): number | undefined {
  if (measure?.per !== 'day' && measure?.per !== 'session') return undefined;
  const rate = findRate(measure.unit, text);
  return rate === undefined ? undefined : Math.max(5, 5 * Math.ceil((rate * measure.to) / 5));
}

/** Builds the L1 node of a cycle with the tasks of each session. */
export function buildSessions(
  { goal, frame }: Draft,
  { rule, minutes }: PlanSessions,
  title: string,
): readonly PlanNode[] {
  const times = frame.rhythm?.unit === 'day' ? Math.min(MAX_SESSIONS_PER_DAY, Math.max(1, frame.rhythm.times ?? 1)) : 1;
  const length = Math.max(1, Math.floor(minutes / times));
  const mains = Array.from({ length: times }, (_, index) =>
    buildNode(`c1t${index + 1}`, 'c1', ['L3', 'recurring'], {
      title: times === 1 ? `Session: ${goal.aim.title}` : `Session ${index + 1} of the day: ${goal.aim.title}`,
      estimateMinutes: length,
    }),
  );
  return [buildNode('c1', null, ['L1', 'recurring'], { title, recurrence: rule }), ...mains];
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
