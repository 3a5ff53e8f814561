import { assertNever } from '@phaseline/basics';
import type { InteractionPolicy } from './interaction-policy.js';

/** What can be approved. `goal`: the goal as understood, and its pattern. `adaptation`: a structural change. */
export const approvalSubjects = ['goal', 'outline', 'roadmap', 'schedule', 'adaptation'] as const;
export type ApprovalSubject = (typeof approvalSubjects)[number];

/** Whether the policy requires an approval. The schedule is the final request, which every policy requires. */
export function needsApproval(policy: InteractionPolicy['approvalPolicy'], subject: ApprovalSubject): boolean {
  switch (policy) {
    case 'single_final':
      return subject === 'schedule';
    case 'milestone_approvals':
      return subject === 'outline' || subject === 'roadmap' || subject === 'schedule';
    case 'strict_every_step':
      return true;
    default:
      return assertNever(policy);
  }
}
