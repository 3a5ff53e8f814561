import type { Alert } from '@phaseline/client';
import { formatDuration } from '@phaseline/service';
import type { AlertFacts, QuarantinedJob, WaitingEntry } from './alert-facts.js';

/** Time after which a job that waits for a person is reported. */
const WAITING_MS = 3_600_000;

const awaited: Readonly<Record<WaitingEntry['kind'], string>> = {
  approval: 'the approval of a call',
  question: 'the answer to a question',
  'blocked-todo': 'help with a blocked todo',
};

/** Lists jobs that are quarantined, and jobs that have waited for a person for more than an hour. */
export function listJobAlerts({ now, quarantined, waiting }: AlertFacts): Alert[] {
  const late = waiting.filter(({ askedAt }) => now - Date.parse(askedAt) > WAITING_MS);
  return [
    ...quarantined.map(buildQuarantined),
    ...[...Map.groupBy(late, ({ jobId }) => jobId).values()].map((entries) => buildWaiting(entries, now)),
  ];
}

function buildQuarantined({ jobId, reason, failures, since }: QuarantinedJob): Alert {
  return {
    id: `job-quarantined:${jobId}`,
    kind: 'job-quarantined',
    severity: 'critical',
    title: 'A job is in quarantine',
    cause: `Job ${jobId} failed ${failures} times in the same way and is not processed: ${reason}`,
    command: `phaseline retry ${jobId}`,
    since,
    link: { kind: 'job', id: jobId },
  };
}

/** `entries` are those of one job. */
function buildWaiting(entries: readonly WaitingEntry[], now: number): Alert {
  const [{ jobId, kind, askedAt }] = entries.toSorted((a, b) => Date.parse(a.askedAt) - Date.parse(b.askedAt)) as [
    WaitingEntry,
  ];
  const others = entries.length > 1 ? `, and for ${entries.length - 1} more` : '';
  return {
    id: `job-waiting:${jobId}`,
    kind: 'job-waiting',
    severity: 'warning',
    title: 'A job waits for a person',
    cause: `Job ${jobId} has been waiting for ${awaited[kind]} for ${formatDuration(now - Date.parse(askedAt))}${others}.`,
    command: `phaseline inbox ${jobId}`,
    since: new Date(askedAt).toISOString(),
    link: { kind: 'job', id: jobId },
  };
}
