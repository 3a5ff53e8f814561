import { planningSettingsSchema } from '@phaseline/contracts';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import type { PolicyOverrides } from '../policy/interaction-policy.js';
import { openSession } from './open-session.js';
import { planRequestSchema } from './plan-request.js';
import { planSessionSchema, type PlanSession } from './plan-session.js';

export const HASH = 'a'.repeat(64);
export const OTHER_HASH = 'b'.repeat(64);

/** Builds a session in the middle of its work. */
export function buildSession(policy: PolicyOverrides = {}, changes: Partial<PlanSession> = {}): PlanSession {
  const request = planRequestSchema.parse({ goal: 'Learn to sail', user: 'user-1', policy });
  const patterns = readShippedPatterns();
  const session = openSession(request, {
    user: 'user-1',
    today: '2027-01-04',
    patterns,
    goalId: 'goal-1',
    settings: planningSettingsSchema.parse({}),
  });
  const hashes = { context: HASH, outline: HASH, roadmap: HASH, schedule: HASH };
  return planSessionSchema.parse({ ...session, hashes, ...changes });
}
