import type { Alert } from '@phaseline/client';
import type { GuardOverLimit } from '@phaseline/orchestration';
import type { AlertFacts } from './alert-facts.js';

/** Lists stored guards that exceed a limit of their owner, whether or not the system rolls them back. */
export function listGuardAlerts({ guards }: AlertFacts): Alert[] {
  return guards.map(({ tenant, name, number, owner, since, basis, automatic }: GuardOverLimit): Alert => {
    const place = tenant === undefined ? '--system' : `--tenant ${tenant}`;
    const next = automatic ? 'The system rolls it back within minutes.' : `Its owner is ${owner}.`;
    return {
      id: `guard-over-limit:${tenant ?? ''}/${name}`,
      kind: 'guard-over-limit',
      severity: 'warning',
      title: `The guard ${name} exceeds a limit`,
      cause: `Version ${number} has been in production since ${since}: ${basis.figure}. ${next}`,
      command: `phaseline guards rollback ${name} ${place} --reason '${basis.figure}'`,
    };
  });
}
