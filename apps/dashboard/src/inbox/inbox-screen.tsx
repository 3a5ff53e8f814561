import type { InboxItem } from '@phaseline/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../ui/button.js';
import { Empty, Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { QueryView } from '../ui/query-view.js';
import { EntryDetail } from './entry-detail.js';
import { findNext, keyOfEntry } from './inbox-entry.js';
import { InboxFilters } from './inbox-filters.js';
import { InboxList } from './inbox-list.js';
import type { Outcome } from './outcome.js';
import { useInbox, type InboxFilter } from './use-inbox.js';
import './inbox.css';

export default function InboxScreen() {
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const { query, loadMore } = useInbox(filter);
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const [outcome, setOutcome] = useState<Outcome>();
  const queryClient = useQueryClient();
  const list = useRef<HTMLDivElement>(null);
  const items = (query.data?.items ?? []).filter((item) => !decided.has(keyOfEntry(item)));
  const chosen = search.get('entry') ?? undefined;
  const shown = chosen === undefined ? items[0] : items.find((item) => keyOfEntry(item) === chosen);

  const select = (item: InboxItem | undefined): void =>
    setSearch((before) => {
      if (item) before.set('entry', keyOfEntry(item));
      else before.delete('entry');
      return before;
    });
  const onDecided = (item: InboxItem, done: Outcome): void => {
    setOutcome(done);
    if (done.isOver) {
      setDecided((before) => new Set(before).add(keyOfEntry(item)));
      select(findNext(items, keyOfEntry(item)));
      list.current?.focus();
    }
    void queryClient.invalidateQueries({ queryKey: ['inbox'] });
    void queryClient.invalidateQueries({ queryKey: ['job', item.jobId] });
  };
  useStepKeys(items, shown, select);

  return (
    <Page title="Inbox" fill actions={<InboxFilters filter={filter} onChange={setSearch} />}>
      <div aria-live="polite" className="inbox-outcome">
        {outcome ? (
          <Notice tone={outcome.tone}>
            <p className="grow wrap-anywhere">{outcome.text}</p>
            <Button variant="quiet" onClick={() => setOutcome(undefined)}>
              Close
            </Button>
          </Notice>
        ) : null}
      </div>
      <QueryView query={query}>
        {({ hasMore }) =>
          items.length === 0 && chosen === undefined ? (
            <NothingWaits isFiltered={Object.keys(filter).length > 0} onShowAll={() => setSearch({})} />
          ) : (
            <div className={chosen === undefined ? 'inbox' : 'inbox inbox-chosen'}>
              <InboxList
                {...{ items, hasMore, loadMore, onSelect: select }}
                ref={list}
                selected={shown ? keyOfEntry(shown) : undefined}
              />
              <div className="inbox-detail">
                <div className="inbox-back">
                  <Button onClick={() => select(undefined)}>Back to the list</Button>
                </div>
                {shown ? (
                  <EntryDetail
                    key={`${keyOfEntry(shown)}.${shown.approval?.argumentsHash ?? shown.question?.questionHash}`}
                    item={shown}
                    onDecided={(done) => onDecided(shown, done)}
                  />
                ) : (
                  <Gone onNext={() => select(items[0])} hasNext={items.length > 0} />
                )}
              </div>
            </div>
          )
        }
      </QueryView>
    </Page>
  );
}

function NothingWaits({ isFiltered, onShowAll }: { readonly isFiltered: boolean; readonly onShowAll: () => void }) {
  if (!isFiltered)
    return (
      <Empty>
        Nothing waits for you. Approvals, questions, blocked todos and blocked jobs appear here as soon as a job needs a
        person.
      </Empty>
    );
  return (
    <div className="stack-small">
      <Empty>Nothing that the filter selects waits for a person.</Empty>
      <div>
        <Button onClick={onShowAll}>Show everything</Button>
      </div>
    </div>
  );
}

function Gone({ onNext, hasNext }: { readonly onNext: () => void; readonly hasNext: boolean }) {
  return (
    <Notice tone="neutral">
      <p>This entry does not wait any more: it was decided, its deadline has passed, or its job has ended.</p>
      {hasNext ? <Button onClick={onNext}>Show the oldest entry</Button> : null}
    </Notice>
  );
}

function readFilter(search: URLSearchParams): InboxFilter {
  const names = ['kind', 'agent', 'tenant', 'jobId'].filter((name) => (search.get(name) ?? '') !== '');
  return Object.fromEntries(names.map((name) => [name, search.get(name)])) as InboxFilter;
}

/** The keys J and K select the next and the previous entry, wherever the focus is, except in a field or a dialog. */
function useStepKeys(
  items: readonly InboxItem[],
  shown: InboxItem | undefined,
  select: (item: InboxItem | undefined) => void,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key];
      const target = event.target as HTMLElement;
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.closest('input, textarea, select, dialog')) return;
      const index = items.findIndex((item) => item === shown);
      const next = items[index + step];
      if (next) select(next);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}
