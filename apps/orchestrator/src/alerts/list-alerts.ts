import type { Alert } from '@phaseline/client';
import type { AlertFacts } from './alert-facts.js';
import { listGuardAlerts } from './guard-alerts.js';
import { listJobAlerts } from './job-alerts.js';
import { listProcessAlerts } from './process-alerts.js';
import { listQueueAlerts } from './queue-alerts.js';
import { listSystemAlerts, listTenantAlerts } from './system-alerts.js';

/** Lists what is wrong: critical alerts first, then the oldest; those of unknown age last. */
export function listAlerts(facts: AlertFacts): Alert[] {
  const alerts = [
    listQueueAlerts,
    listProcessAlerts,
    listSystemAlerts,
    listJobAlerts,
    listTenantAlerts,
    listGuardAlerts,
  ].flatMap((list) => list(facts));
  return alerts.toSorted(
    (a, b) =>
      Number(b.severity === 'critical') - Number(a.severity === 'critical') ||
      (a.since ?? '9').localeCompare(b.since ?? '9') ||
      a.id.localeCompare(b.id),
  );
}
