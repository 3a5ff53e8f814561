import { pluralise, type Alert } from '@phaseline/client';
import type { TenantLoad } from '@phaseline/orchestration';
import { formatDuration } from '@phaseline/service';
import type { AlertFacts, AnchorFacts, FailedCheck, ProjectionFacts } from './alert-facts.js';

/** Lag of the read models behind the log that users notice, and one that shows a fault. */
const BEHIND_SECONDS = { warning: 30, critical: 300 };
/** Intervals of anchors without one. A single attempt may find the lock taken or be delayed by a quarter of the interval. */
const MISSED_ANCHORS = 3;
/** Without an anchor for this time, the removal of events of a day would not be noticed. */
const UNANCHORED_CRITICAL_MS = 86_400_000;

/** Lists read models that are behind, anchors that are overdue or fail, and what could not be read. */
export function listSystemAlerts({ now, projection, anchors, failures }: AlertFacts): Alert[] {
  return [
    ...failures.map(buildFailedCheck),
    ...(projection ? listProjectionAlerts(projection, now) : []),
    ...(anchors ? listAnchorAlerts(anchors, now) : []),
  ];
}

/** Lists tenants that use all their slots while their jobs wait. */
export function listTenantAlerts({ now, tenants }: AlertFacts): Alert[] {
  return tenants.flatMap(({ tenant, active, waiting, limit, longestWaitMs }: TenantLoad): Alert[] => {
    if (limit === undefined || active < limit || waiting === 0) return [];
    return [
      {
        id: `tenant-full:${tenant}`,
        kind: 'tenant-full',
        severity: 'warning',
        title: `Tenant ${tenant} uses all its slots`,
        cause: `${active} of ${pluralise(limit, 'slot is', 'slots are')} in use, and ${pluralise(waiting, 'job waits', 'jobs wait')} for one.`,
        command: `phaseline tenants set ${tenant} --max-running-phases ${limit + waiting}`,
        ...(longestWaitMs === undefined ? {} : { since: new Date(now - longestWaitMs).toISOString() }),
        link: { kind: 'tenant', id: tenant },
      },
    ];
  });
}

function buildFailedCheck({ name, message }: FailedCheck): Alert {
  return {
    id: `check-failed:${name}`,
    kind: 'check-failed',
    severity: 'critical',
    title: `The ${name} cannot be read`,
    cause: message,
    command: 'phaseline doctor',
  };
}

function listProjectionAlerts({ lagSeconds, unreadableJobs }: ProjectionFacts, now: number): Alert[] {
  const alerts: Alert[] = [];
  if (lagSeconds > BEHIND_SECONDS.warning)
    alerts.push({
      id: 'projection-behind',
      kind: 'projection-behind',
      severity: lagSeconds > BEHIND_SECONDS.critical ? 'critical' : 'warning',
      title: 'Lists and figures are behind the log',
      cause: `The read models have not applied events of ${formatDuration(lagSeconds * 1_000)} ago.`,
      command: 'phaseline doctor',
      since: new Date(now - lagSeconds * 1_000).toISOString(),
    });
  if (unreadableJobs > 0)
    alerts.push({
      id: 'projection-unreadable',
      kind: 'projection-unreadable',
      severity: 'warning',
      title: 'Jobs cannot be read',
      cause: `The rows of ${pluralise(unreadableJobs, 'job', 'jobs')} are not updated because of an event that this release cannot apply.`,
      command: 'phaseline doctor',
    });
  return alerts;
}

function listAnchorAlerts({ intervalMs, unanchoredMs, failure }: AnchorFacts, now: number): Alert[] {
  const alerts: Alert[] = [];
  if (failure)
    alerts.push({
      id: 'anchor-failing',
      kind: 'anchor-failing',
      severity: 'warning',
      title: 'The log cannot be anchored',
      cause: `The attempts to anchor the log fail: ${failure.message}`,
      command: 'phaseline audit anchor',
      since: failure.since,
    });
  if (unanchoredMs > MISSED_ANCHORS * intervalMs)
    alerts.push({
      id: 'anchor-overdue',
      kind: 'anchor-overdue',
      severity: unanchoredMs > UNANCHORED_CRITICAL_MS ? 'critical' : 'warning',
      title: 'An anchor of the log is overdue',
      cause: `No anchor covers events of ${formatDuration(unanchoredMs)} ago; one is due every ${formatDuration(intervalMs)}.`,
      command: 'phaseline audit anchor',
      since: new Date(now - unanchoredMs).toISOString(),
    });
  return alerts;
}
