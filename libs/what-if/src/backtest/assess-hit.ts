import type { HitAssessment } from '@phaseline/contracts';
import type { JobState } from '@phaseline/domain';
import type { GuardHit } from './phase-account.js';

/** Assesses a hit by what became of the call and of the job. `status` is that of the job; undefined if its beginning is not in the log. */
export function assessHit(
  { decided: { decision }, outcome }: Pick<GuardHit, 'decided' | 'outcome'>,
  status: JobState['status'] | undefined,
): HitAssessment {
  if (decision === 'allow' || decision === 'context') return 'stops-nothing';
  if (outcome === 'denied-by-guard' || outcome === 'denied' || outcome === 'refused' || outcome === 'expired')
    return 'stopped-anyway';
  if (outcome === 'failed' || status === 'failed' || status === 'blocked' || status === 'aborted')
    return 'might-have-saved';
  return outcome === 'completed' && status === 'completed' ? 'possibly-wrong' : 'open';
}
