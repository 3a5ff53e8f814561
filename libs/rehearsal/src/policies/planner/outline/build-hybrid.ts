import type { PlanNode } from '../session.js';
import { buildSessions, planCycle } from './build-cycle.js';
import { buildStages } from './build-project.js';
import { countParts, type Draft } from './draft.js';
import { roundUp, countFreeMinutes, countPlanDays } from './plan-frame.js';
import { listProjectStages } from './stages.js';

/** Days beyond which the project beside the cycle has one more phase. */
const PHASE_LIMITS = [21, 70];
const MAX_PHASES = 11;
/** Work per week in minutes beside the sessions. */
const MINUTES_PER_WEEK = 30;
/** Time of each day that sessions leave to the project, in minutes: one slot. */
const ROOM_PER_DAY = 15;

/** Builds phases that are done once, and a cycle of sessions that runs beside them. */
export function buildHybrid(draft: Draft): readonly PlanNode[] {
  const { frame, goal, changes } = draft;
  const sessions = planCycle(draft, ROOM_PER_DAY);
  const days = new Set(sessions.days);
  const free = countFreeMinutes(frame, (day) => (days.has(day) ? roundUp(sessions.minutes) : 0));
  const stages = listProjectStages(countParts(countPlanDays(frame), PHASE_LIMITS, 1, MAX_PHASES, changes.morePhases));
  return [
    ...buildStages(draft, stages, free, MINUTES_PER_WEEK),
    ...buildSessions(draft, sessions, `Sessions: ${goal.aim.title}`),
  ];
}
