import type { ComparedEvent, JobComparisonResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { Link } from 'wouter';
import { Card } from '../ui/card.js';
import { Diff } from '../ui/diff.js';

/** Where the two jobs begin to differ, as the first event that is not the same. */
export function FirstDifference({ data }: { readonly data: JobComparisonResponse }) {
  const { firstDifference: difference, left, right } = data;
  if (difference === undefined)
    return (
      <Card title="First difference">
        <p>Both jobs have the same events.</p>
      </Card>
    );
  return (
    <Card title={`First difference: phase ${difference.phase}, step ${difference.step}`}>
      <div className="stack-small">
        <p className="row">
          <EventLink side="Left" jobId={left.jobId} event={difference.left} />
          <EventLink side="Right" jobId={right.jobId} event={difference.right} />
        </p>
        <Diff label="First difference" before={render(difference.left)} after={render(difference.right)} />
      </div>
    </Card>
  );
}

function EventLink({
  side,
  jobId,
  event,
}: {
  readonly side: string;
  readonly jobId: JobId;
  readonly event: ComparedEvent | undefined;
}) {
  if (event === undefined) return <span>{side}: no further event</span>;
  return (
    <Link href={`/jobs/${jobId}?at=${event.position}`}>
      {side}: {event.type} at {event.position}
    </Link>
  );
}

function render(event: ComparedEvent | undefined): string {
  return event === undefined ? '' : `${event.type}\n${JSON.stringify(event.content, undefined, 2)}\n`;
}
