import type { EventIndex, JobSummary } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { isEnded } from '@phaseline/contracts';
import { useEffect } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { Badge, StatusBadge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { formatCount } from '../ui/format.js';
import { Loading } from '../ui/loading.js';
import { Empty } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { EventList } from './event-list.js';
import { JobActions } from './job-actions.js';
import { JobNotices } from './job-notices.js';
import { JobPanels } from './job-panels.js';
import { Lanes, LanesLegend } from './lanes.js';
import { LiveAnswer } from './live-answer.js';
import { useCursor, useJob, useMoment, useTimeline, type JobCursor } from './use-job.js';
import { usePanel } from './use-panel.js';
import './job-screen.css';

/** One job: what happened when, and its state at any event. */
export default function JobScreen() {
  const { jobId } = useParams<{ jobId: string }>();
  // Another job is another screen: it begins with a slider of its own.
  return <OneJob key={jobId} jobId={jobId as JobId} />;
}

function OneJob({ jobId }: { readonly jobId: JobId }) {
  const job = useJob(jobId);
  return (
    <Page
      title={job.data === undefined ? 'Job' : `${job.data.agent} ${jobId.slice(0, 8)}`}
      badges={job.data === undefined ? null : <StatusBadge status={job.data.status} />}
      actions={job.data === undefined ? null : <JobActions job={job.data} />}
      fill
    >
      <QueryView query={job}>{(data) => <JobContent job={data} />}</QueryView>
    </Page>
  );
}

function JobContent({ job }: { readonly job: JobSummary }) {
  const { jobId } = job;
  const [params] = useSearchParams();
  const cursor = useCursor(jobId, readPosition(params.get('at')));
  useAddress(cursor);
  const moment = useMoment(jobId, cursor.position);
  const [panel, setPanel] = usePanel();
  if (cursor.index === undefined) return <Loading />;
  if (cursor.index.count === 0) return <Empty>This job has no event that can be shown.</Empty>;
  return (
    <>
      <JobNotices job={job} />
      <TimeSlider jobId={jobId} cursor={cursor} index={cursor.index} />
      {isEnded(job.status) ? null : <LiveAnswer jobId={jobId} />}
      <div className={panel === 'state' ? 'job-columns' : 'job-columns job-columns-wide'}>
        <EventList
          {...{ jobId, index: cursor.index, ordinal: cursor.ordinal, isFollowing: cursor.isAtEnd }}
          onSelect={cursor.move}
        />
        <div className="card job-side" data-position={moment.isPlaceholderData ? undefined : cursor.position}>
          <QueryView query={moment}>
            {(state) => <JobPanels {...{ jobId, state, cursor }} current={panel} onChange={setPanel} />}
          </QueryView>
        </div>
      </div>
    </>
  );
}

function TimeSlider({
  jobId,
  cursor,
  index,
}: {
  readonly jobId: JobId;
  readonly cursor: JobCursor;
  readonly index: EventIndex;
}) {
  const timeline = useTimeline(jobId);
  const timeAt = cursor.row?.at ?? (cursor.isAtEnd ? index.lastAt : undefined);
  return (
    <Card
      title="Timeline"
      actions={
        cursor.isAtEnd ? (
          <Badge tone="accent" glyph="●">
            Latest event
          </Badge>
        ) : (
          <Button onClick={cursor.follow}>Go to the latest event</Button>
        )
      }
    >
      <div className="stack-small">
        <QueryView query={timeline}>
          {(data) => (
            <Lanes timeline={data} index={index} ordinal={cursor.ordinal} timeAt={timeAt} onMove={cursor.move} />
          )}
        </QueryView>
        <div className="job-slider-foot">
          <p className="muted">
            Event {formatCount(cursor.ordinal + 1)} of {formatCount(index.count)}
            {timeAt === undefined ? null : (
              <>
                {' · '}
                <DateTime at={timeAt} />
              </>
            )}
            {cursor.row === undefined ? null : ` · ${cursor.row.type}`}
          </p>
          <LanesLegend />
        </div>
      </div>
    </Card>
  );
}

function readPosition(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}

/** Keeps the position in the address, so that a link leads to the same event. */
function useAddress({ isAtEnd, position }: JobCursor): void {
  const [, setParams] = useSearchParams();
  const at = isAtEnd || position === undefined ? undefined : String(position);
  const isKnown = isAtEnd || position !== undefined;
  useEffect(() => {
    if (!isKnown) return undefined;
    // While the slider is dragged, only the place where it stops matters.
    const { pathname } = location;
    const timer = setTimeout(() => {
      // While the next screen is being loaded, this one still exists. It must not bring the person back.
      if (location.pathname !== pathname) return;
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (at === undefined) after.delete('at');
          else after.set('at', at);
          return after;
        },
        { replace: true },
      );
    }, 300);
    return () => clearTimeout(timer);
  }, [at, isKnown, setParams]);
}
