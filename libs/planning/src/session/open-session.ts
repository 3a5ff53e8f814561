import type { PlanningSettings } from '@phaseline/contracts';
import type { PlanContext } from '../artifacts/plan-context.js';
import { DEFAULT_STRATEGY_PROFILE } from '../artifacts/strategy-profile.js';
import type { PatternDefinition } from '../patterns/pattern-definition.js';
import { DEFAULT_CALENDAR, DEFAULT_CAPACITY } from '../policy/default-times.js';
import { resolvePolicy } from '../policy/interaction-policy.js';
import type { PlanRequest } from './plan-request.js';
import { NO_ATTEMPTS, type PlanSession } from './plan-session.js';

const DEFAULT_ZONE = 'UTC';

/** Builds the session of a request. `today` is the day of the person; `patterns` and `settings` are those of the agent. */
export function openSession(
  request: PlanRequest,
  {
    user,
    today,
    patterns,
    settings,
    goalId,
  }: {
    readonly user: string;
    readonly today: string;
    readonly patterns: readonly PatternDefinition[];
    readonly settings: PlanningSettings;
    /** Of a request that names no goal. */
    readonly goalId: string;
  },
): PlanSession {
  const { goal, preferences, policy, approvedProposals, wasStyleAsked } = request;
  const retries = Math.min(settings.RETRY_LIMIT_PER_STAGE, request.retryLimitPerStage ?? Infinity);
  return {
    ...{
      goal,
      goalId: request.goalId ?? goalId,
      user: request.user ?? user,
      today,
      stage: 'context',
      settings: { ...settings, RETRY_LIMIT_PER_STAGE: retries },
      preferences,
    },
    overrides: Object.keys(policy).length > 0 ? [policy] : [],
    policy: resolvePolicy(preferences, [policy]),
    wasStyleAsked,
    messages: [{ from: 'person', text: goal }],
    hashes: {},
    patterns: [...patterns, ...request.patterns],
    ...{ approvedProposals, refusedProposals: [] },
    attempts: { outline: NO_ATTEMPTS, roadmap: NO_ATTEMPTS, schedule: NO_ATTEMPTS },
    ...{
      violations: [],
      instructions: [],
      narrowed: false,
      hasFeedback: false,
      questions: [],
      ideas: [],
      options: [],
    },
    band: 'go_on',
    adaptations: [],
    planningStatus: 'in_progress',
    responseText: '',
  };
}

/** Builds the context of a session about which nothing is known but the request. */
export function openContext(request: PlanRequest, session: PlanSession): PlanContext {
  const { calendar, capacity, strategy, zone, start, end } = request;
  return {
    goal: session.goal,
    user: session.user,
    zone: zone ?? DEFAULT_ZONE,
    calendar: calendar ?? DEFAULT_CALENDAR,
    capacity: capacity ?? DEFAULT_CAPACITY,
    dates: { start: start ?? session.today, ...(end === undefined ? {} : { end }), fixed: [] },
    strategy: strategy ?? DEFAULT_STRATEGY_PROFILE,
    portfolioVersion: 0,
    facts: [],
    policy: session.policy,
  };
}
