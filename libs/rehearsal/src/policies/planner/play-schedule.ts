import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call, reportBlocked } from '../scene.js';
import type { PlanScene } from './plan-scene.js';
import { MAX_DRAFTS, readToolHistory } from './tool-results.js';

const MAX_FAILURES = 2;

/** Plays DRAFT_SCHEDULE: looks at the other plans of the person, then lets the schedule be computed. */
export function playSchedule({ toolNames, calls, confidence }: PlanScene): RehearsalAnswer {
  if (toolNames.includes('portfolio_probe') && !calls.some(({ name }) => name === 'portfolio_probe'))
    return act('', call('portfolio_probe'));
  const { success, failures, count } = readToolHistory(calls, 'schedule_generator');
  if (success && count >= MAX_DRAFTS) return act('The schedule is drafted.');
  if (failures.length > MAX_FAILURES)
    return reportBlocked(failures.flatMap(({ explanations }) => explanations).join(' '));
  return act('', call('schedule_generator', { confidence }));
}
