import type { JsonObject } from '@phaseline/basics';

/** One plan of the demo, and how it has to end. */
export interface PlanScene {
  readonly title: string;
  readonly goal: string;
  readonly expected: string;
  /** What the person wants to be different at first. */
  readonly wish?: string;
  readonly budgets?: { readonly maxCostUsd: number };
  readonly policy?: JsonObject;
}

/** Less than one call costs. */
const NO_MONEY = { maxCostUsd: 0.000001 };

/** What `demo --plan` shows without a goal: a goal per pattern, and what can go wrong. */
export const planScenes: readonly PlanScene[] = [
  { title: 'a project', goal: 'Write a thesis on bees in six months, five hours a week', expected: 'complete' },
  { title: 'a cycle', goal: 'Practise the piano every Monday and Thursday for three months', expected: 'complete' },
  { title: 'an arc', goal: 'Save 6,000 euros within a year', expected: 'complete' },
  {
    ...{ title: 'a project with a cycle', expected: 'complete' },
    goal: 'Prepare for a half marathon in twelve weeks, three evenings a week',
  },
  {
    ...{ title: 'a transformation', expected: 'complete' },
    goal: 'Become a team that deploys every day instead of twice a year, within nine months',
  },
  {
    ...{ title: 'a plan that does not fit', expected: 'needs_scheduling_escalation' },
    goal: 'Write 60,000 words in three days, one hour a day',
  },
  {
    ...{ title: 'a new pattern', expected: 'complete' },
    goal: 'Follow a routine every morning for eight weeks; propose a new subtype called daily health protocol v2',
  },
  { title: 'a vague goal', goal: 'Get better', expected: 'complete' },
  { title: 'a rejection', goal: 'Learn to sail in ten weeks', wish: 'shorter sessions', expected: 'complete' },
  { title: 'no money', goal: 'Learn to sail in ten weeks', budgets: NO_MONEY, expected: 'aborted' },
];
