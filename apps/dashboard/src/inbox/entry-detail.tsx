import type { InboxItem } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { Badge } from '../ui/badge.js';
import { KeyValues } from '../ui/key-values.js';
import { Notice } from '../ui/notice.js';
import { Ago, DateTime } from '../ui/time.js';
import { ApprovalDetail } from './approval-detail.js';
import { BlockedJobDetail } from './blocked-job-detail.js';
import { BlockedTodoDetail } from './blocked-todo-detail.js';
import { Deadline } from './deadline.js';
import { describeKind } from './inbox-entry.js';
import type { DetailProps } from './outcome.js';
import { QuestionDetail } from './question-detail.js';

/** One entry: whose it is, since when it waits, what it is about, and what can be done. */
export function EntryDetail({ item, onDecided }: DetailProps) {
  const { name, tone, glyph } = describeKind(item.kind);
  return (
    <article className="inbox-entry" aria-labelledby="inbox-entry-title">
      <header className="stack-small">
        <div className="row">
          <h2 id="inbox-entry-title">{titleOf(item)}</h2>
          <Badge tone={tone} glyph={glyph}>
            {name}
          </Badge>
        </div>
        <Origin item={item} />
      </header>
      {item.unreadableReason === undefined ? null : (
        <Notice tone="warn">
          <p className="wrap-anywhere">The content of the job cannot be read: {item.unreadableReason}</p>
        </Notice>
      )}
      <Content {...{ item, onDecided }} />
    </article>
  );
}

function titleOf({ agent, approval, question, todo, blocked }: InboxItem): string {
  if (approval) return `${agent} wants to call ${approval.tool}`;
  if (question) return `${agent} asks`;
  if (todo) return `${agent} cannot do todo ${todo.id}`;
  return blocked ? `A job of ${agent} is blocked` : `A job of ${agent} waits`;
}

function Content({ item, onDecided }: DetailProps) {
  if (item.approval) return <ApprovalDetail {...{ item, onDecided, approval: item.approval }} />;
  if (item.question) return <QuestionDetail {...{ item, onDecided, question: item.question }} />;
  if (item.todo) return <BlockedTodoDetail {...{ item, onDecided, todo: item.todo }} />;
  if (item.blocked) return <BlockedJobDetail {...{ item, onDecided, blocked: item.blocked }} />;
  return null;
}

function Origin({ item }: { readonly item: InboxItem }) {
  const { jobId, tenant, phase, askedAt, deadlineAt } = item;
  const can = useRights();
  const job = useQuery({
    queryKey: ['job', jobId],
    queryFn: ({ signal }) => client.get(jobId, { signal }),
    enabled: can('jobs:read', tenant),
  });
  const running = job.data?.phase;
  const labels = Object.entries(job.data?.labels ?? {});
  return (
    <KeyValues
      items={[
        [
          'Job',
          <Link key="job" href={`/jobs/${jobId}`} className="mono">
            {jobId}
          </Link>,
        ],
        ['Tenant', tenant],
        ['Labels', labels.map(([key, value]) => `${key}=${value}`).join(', ')],
        ['Phase', running?.number === phase ? `${phase}, ${running.name} (${running.kind})` : String(phase)],
        [
          'Waits',
          <span key="waits">
            <Ago at={askedAt} suffix="" />, since <DateTime at={askedAt} />
          </span>,
        ],
        ['Deadline', deadlineAt === undefined ? undefined : <Deadline key="deadline" at={deadlineAt} />],
      ]}
    />
  );
}
