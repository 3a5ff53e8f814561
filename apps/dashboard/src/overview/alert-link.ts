import type { Alert } from '@phaseline/client';

interface AlertLink {
  readonly to: string;
  readonly text: string;
}

const JOBS_OF_WORKERS: AlertLink = {
  to: '/jobs?waitsFor=worker&sort=waiting',
  text: 'Show the jobs that wait for a worker',
};
const JOBS_OF_ORCHESTRATOR: AlertLink = {
  to: '/jobs?waitsFor=orchestrator&sort=waiting',
  text: 'Show the jobs that wait for the orchestrator',
};

/** Queues for whose messages jobs wait while they have no phase: submissions, timers and imports. */
const queuesBeforePhases: readonly string[] = ['jobs', 'timers', 'repositories'];

/** Where a person sees what an alert is about, and the jobs that it concerns; undefined where only the command helps. */
export function findAlertLink({ kind, link }: Pick<Alert, 'kind' | 'link'>): AlertLink | undefined {
  const id = link === undefined ? '' : encodeURIComponent(link.id);
  switch (kind) {
    case 'dead-letters':
      return { to: `/dead-letters?queue=${id}`, text: 'Open the dead letters' };
    case 'job-waiting':
      return { to: `/inbox?jobId=${id}`, text: 'Open in the inbox' };
    case 'job-quarantined':
      return { to: `/jobs/${id}`, text: 'Open the job' };
    case 'tenant-full':
      return { to: `/jobs?tenant=${id}&waitsFor=orchestrator&sort=waiting`, text: 'Show its jobs that wait' };
    case 'queue-unserved':
    case 'queue-growing':
    case 'queue-old':
      return findJobsOfQueue(link?.id ?? '');
    case 'process-dead':
    case 'process-problem':
      // The id of a process begins with the name of its service.
      return (link?.id ?? '').startsWith('orchestrator') ? JOBS_OF_ORCHESTRATOR : JOBS_OF_WORKERS;
    case 'anchor-failing':
    case 'anchor-overdue':
      return { to: '/audit', text: 'Open the anchors' };
    case 'guard-over-limit':
      return { to: '/guards', text: 'Open the guards' };
    default:
      return undefined;
  }
}

/** The list of jobs that wait for what a queue delivers, longest first. */
export function findJobsOfQueue(queue: string): AlertLink {
  return queuesBeforePhases.includes(queue) ? JOBS_OF_ORCHESTRATOR : JOBS_OF_WORKERS;
}
