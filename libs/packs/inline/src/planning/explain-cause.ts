import type { ChangeCause, PlanSession } from '@phaseline/planning';

/** Why the next draft differs from the one before it, and who introduced that. */
export function explainCause({ hasFeedback, instructions, messages, user }: PlanSession): ChangeCause {
  const words = messages.findLast(({ from }) => from === 'person')?.text ?? '';
  if (hasFeedback) return { why: `The person said: ${words}`.slice(0, 2_000), introducedBy: 'user_feedback', by: user };
  const why = instructions.length > 0 ? instructions.join(' ') : 'The draft before it was not good enough.';
  return { why: why.slice(0, 2_000), introducedBy: 'ai_adaptation', by: 'planner' };
}
