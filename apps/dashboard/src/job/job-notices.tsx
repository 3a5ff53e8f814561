import type { JobSummary } from '@phaseline/client';
import { Link } from 'wouter';
import { Command } from '../ui/code.js';
import { Notice } from '../ui/notice.js';
import { Ago, DateTime } from '../ui/time.js';

/** Why the job waits, and why it ended if it did not complete. */
export function JobNotices({ job }: { readonly job: JobSummary }) {
  const { waitsFor, failure, unreadableReason } = job;
  const isWork = waitsFor === undefined || (waitsFor.kind === 'lease' && waitsFor.problem === undefined);
  return (
    <>
      {isWork ? null : <Waiting job={job} />}
      {failure === undefined ? null : (
        <Notice tone={job.status === 'cancelled' ? 'neutral' : 'bad'}>
          <p className="wrap-anywhere">
            {failure.message} <span className="muted">({failure.code})</span>
          </p>
        </Notice>
      )}
      {unreadableReason === undefined ? null : (
        <Notice tone="bad">
          <p className="wrap-anywhere">An event of this job cannot be read: {unreadableReason}</p>
        </Notice>
      )}
    </>
  );
}

function Waiting({ job: { waitsFor, jobId, tenant } }: { readonly job: JobSummary }) {
  if (waitsFor === undefined) return null;
  const { kind, description, since, until, problem, command } = waitsFor;
  const isForPerson = kind === 'approval' || kind === 'question';
  return (
    <Notice tone={problem === undefined && !isForPerson ? 'neutral' : 'warn'}>
      <p className="wrap-anywhere">
        <strong>Waits for {description}</strong>
        {since === undefined ? null : (
          <>
            {', since '}
            <Ago at={since} />
          </>
        )}
        {until === undefined ? null : (
          <>
            {', until '}
            <DateTime at={until} />
          </>
        )}
        {problem === undefined ? null : `. ${problem}`}
      </p>
      {command === undefined ? null : <Command text={command} />}
      {kind === 'slot' && tenant !== undefined ? (
        <Link href={`/jobs?tenant=${encodeURIComponent(tenant)}&status=running`}>Show its jobs that run</Link>
      ) : null}
      {isForPerson ? <Link href={`/inbox?jobId=${jobId}`}>Open in the inbox</Link> : null}
    </Notice>
  );
}
