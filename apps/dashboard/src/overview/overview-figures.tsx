import type { InboxItem } from '@phaseline/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../api/client.js';
import { formatInboxCount, useInboxCount } from '../api/use-inbox-count.js';
import { useRights } from '../api/use-rights.js';
import { Figure } from '../ui/card.js';
import { formatCount, formatUsd, formatShortCount, pluralise } from '../ui/format.js';
import { Ago } from '../ui/time.js';
import { useCostsToday, useJobCounts, useQueues, useTenants } from './use-overview.js';

/** The figures at the top of the overview. */
export function OverviewFigures() {
  const can = useRights();
  return (
    <div className="figures">
      {can('queues:read') ? <WaitingMessages /> : null}
      <RunningJobs />
      {can('inbox:read') ? <WaitingForPerson /> : null}
      {can('queues:read') ? <DeadLetters /> : null}
      <MoneyToday />
    </div>
  );
}

/** While a figure is loaded, its place is kept. */
const UNKNOWN = '–';

function WaitingMessages() {
  const { data } = useQueues();
  const waiting = data?.queues.reduce((sum, queue) => sum + queue.waiting, 0);
  return (
    <Figure
      label="Waiting messages"
      value={waiting === undefined ? UNKNOWN : formatShortCount(waiting)}
      note={data === undefined ? UNKNOWN : `in ${pluralise(data.queues.length, 'queue')}, ${data.backend}`}
    />
  );
}

function RunningJobs() {
  const { data } = useJobCounts();
  const tenants = useTenants();
  const phases = tenants.data?.reduce((sum, { runningPhases }) => sum + runningPhases, 0);
  const running = data === undefined ? undefined : countOf(data.statuses, 'running');
  return (
    <Figure
      label="Running jobs"
      value={running === undefined ? UNKNOWN : <Link href="/jobs?status=running">{formatShortCount(running)}</Link>}
      note={phases === undefined ? undefined : `${pluralise(phases, 'phase')} in slots`}
    />
  );
}

function WaitingForPerson() {
  const oldest = useQuery({
    queryKey: ['inbox', 'oldest'],
    queryFn: async ({ signal }) => {
      for await (const item of client.inbox({ limit: 1 }, { signal })) return item;
      return null;
    },
    refetchInterval: 30_000,
  });
  // The same number as in the navigation: that of the entries in the inbox, which the link opens.
  const entries = useInboxCount();
  const counts = useJobCounts();
  const paused = counts.data === undefined ? 0 : countOf(counts.data.waitsFor, 'pause');
  return (
    <Figure
      label="Waits for a person"
      tone={(entries.data ?? 0) > 0 ? 'warn' : 'neutral'}
      value={entries.data === undefined ? UNKNOWN : <Link href="/inbox">{formatInboxCount(entries.data)}</Link>}
      note={
        <>
          <Oldest item={oldest.data} />
          {paused === 0 ? null : (
            <>
              {' · '}
              <Link href="/jobs?waitsFor=pause">{pluralise(paused, 'paused job')}</Link>
            </>
          )}
        </>
      }
    />
  );
}

function Oldest({ item }: { readonly item: InboxItem | null | undefined }) {
  if (item === undefined) return UNKNOWN;
  if (item === null) return 'nothing in the inbox';
  return (
    <>
      in the inbox, oldest <Ago at={item.askedAt} suffix="" />
    </>
  );
}

function DeadLetters() {
  const { data } = useQueues();
  const count = data?.deadLetterCount;
  return (
    <Figure
      label="Dead letters"
      tone={(count ?? 0) > 0 ? 'bad' : 'neutral'}
      value={count === undefined ? UNKNOWN : <Link href="/dead-letters">{formatCount(count)}</Link>}
      note="messages that could not be handled"
    />
  );
}

function MoneyToday() {
  const { data } = useCostsToday();
  return (
    <Figure
      label="Money today (UTC)"
      value={data === undefined ? UNKNOWN : formatUsd(data.total.costMicroUsd)}
      note={
        data === undefined
          ? UNKNOWN
          : `${formatShortCount(data.total.inputTokens + data.total.outputTokens)} tokens, ${pluralise(data.total.steps, 'step')}`
      }
    />
  );
}

function countOf(counts: readonly { readonly value: string; readonly jobs: number }[], wanted: string): number {
  return counts.find(({ value }) => value === wanted)?.jobs ?? 0;
}
