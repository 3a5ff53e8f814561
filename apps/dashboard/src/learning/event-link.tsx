import type { JobId } from '@phaseline/contracts';
import { Link } from 'wouter';

/** Leads to a job as it was at an event. The end of the id is shown, which is the part that differs. */
export function EventLink({ jobId, position }: { readonly jobId: JobId; readonly position: number }) {
  return (
    <Link href={`/jobs/${jobId}?at=${position}`} className="mono nowrap" title={`${jobId} at ${position}`}>
      <span className="visually-hidden">Job </span>…{jobId.slice(-8)} at {position}
    </Link>
  );
}
