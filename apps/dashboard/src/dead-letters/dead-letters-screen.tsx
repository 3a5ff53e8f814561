import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams, useSearchParams } from 'wouter';
import { queuesQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';
import { SelectField } from '../ui/field.js';
import { Loading } from '../ui/loading.js';
import { Empty, ErrorNotice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { CloseActions } from './close-actions.js';
import { DeadLetterDetailPanel } from './dead-letter-detail.js';
import { keepListed } from './dead-letter-fields.js';
import { DeadLetterTable } from './dead-letter-table.js';
import { useDeadLetters } from './use-dead-letters.js';
import './dead-letters.css';

/** Messages that could not be handled: why, what they say, and what to do with them. */
export default function DeadLettersScreen() {
  const { deadLetterId } = useParams<{ deadLetterId?: string }>();
  const [params] = useSearchParams();
  const queue = params.get('queue') ?? '';
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [path, navigate] = useLocation();
  const canControl = useRights()('queues:control');
  const query = useDeadLetters(queue);
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const ids = keepListed(selected, rows);
  return (
    <Page
      title="Dead letters"
      fill
      actions={<QueueFilter queue={queue} onChange={(name) => navigate(buildAddress(path, name), { replace: true })} />}
    >
      <p className="muted">
        Messages that no process could handle. Fix the cause, then retry them: each is sent again once. The log decides
        what is still due, so a message that is no longer needed changes nothing.
      </p>
      {canControl ? (
        <CloseActions
          ids={ids}
          hint="Select messages to retry or discard several at once."
          onDone={() => setSelected(new Set())}
        />
      ) : null}
      {query.error ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} /> : null}
      <div className={deadLetterId === undefined ? 'letters' : 'letters letters-open'}>
        <div className="letters-list">
          {query.isPending ? <Loading /> : null}
          {query.isSuccess && rows.length === 0 ? <NoDeadLetters queue={queue} /> : null}
          {rows.length > 0 ? (
            <DeadLetterTable
              rows={rows}
              openId={deadLetterId}
              queue={queue}
              selection={canControl ? { ids: selected, onChange: setSelected } : undefined}
              onEnd={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
            />
          ) : null}
        </div>
        {deadLetterId === undefined ? null : (
          <DeadLetterDetailPanel
            key={deadLetterId}
            id={deadLetterId}
            canControl={canControl}
            onClose={() => navigate(buildAddress('/dead-letters', queue))}
          />
        )}
      </div>
    </Page>
  );
}

/** The address of the list, or of the open message, with the filter, so that a link leads to the same list. */
function buildAddress(path: string, queue: string): string {
  return queue === '' ? path : `${path}?queue=${encodeURIComponent(queue)}`;
}

function NoDeadLetters({ queue }: { readonly queue: string }) {
  return (
    <Empty>
      {queue === ''
        ? 'No dead letters. Every message was handled, or is still being tried.'
        : `No dead letters of the queue ${queue}. Choose “all queues” to see those of others.`}
    </Empty>
  );
}

function QueueFilter({ queue, onChange }: { readonly queue: string; readonly onChange: (queue: string) => void }) {
  const queues = useQuery(queuesQuery);
  const known = queues.data?.queues.map(({ queue: name }) => name) ?? [];
  const names = queue === '' || known.includes(queue) ? known : [queue, ...known];
  return (
    <SelectField label="Queue" value={queue} onChange={({ target }) => onChange(target.value)}>
      <option value="">all queues</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}
