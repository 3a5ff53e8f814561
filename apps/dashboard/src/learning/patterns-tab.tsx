import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../api/client.js';
import { computeSince } from '../ui/ages.js';
import { Button } from '../ui/button.js';
import { Empty } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { AgentAndAge } from './agent-and-age.js';
import { PatternCard } from './pattern-card.js';
import { useFilters } from './use-filters.js';

/** Patterns that are shown at once. The most frequent ones are the first. */
const PAGE_PATTERNS = 20;

/** Mistakes that agents made several times, and what a person may do about each. */
export function PatternsTab() {
  const [{ agent, age }, change] = useFilters(['agent', 'age']);
  const [shown, setShown] = useState(PAGE_PATTERNS);
  const patterns = useQuery({
    queryKey: ['learning', 'patterns', agent, age],
    queryFn: ({ signal }) => {
      const since = computeSince(age, Date.now());
      return client.learning.patterns(
        { ...(agent === '' ? {} : { agent }), ...(since === undefined ? {} : { since }) },
        { signal },
      );
    },
  });
  return (
    <>
      <AgentAndAge agent={agent} age={age} onChange={change} />
      <p className="muted">
        Mistakes of the same kind that an agent made at least five times. Nothing changes by itself: a person decides
        what to do about each.
      </p>
      <QueryView query={patterns}>
        {(items) =>
          items.length === 0 ? (
            <Empty>
              {agent === '' && age === ''
                ? 'No mistake was made five times yet. Calls that guards deny, approvals that people refuse and claims that fail are counted.'
                : 'No mistake was made five times there. Choose another agent or a longer time.'}
            </Empty>
          ) : (
            <>
              {items.slice(0, shown).map((pattern) => (
                <PatternCard key={pattern.id} pattern={pattern} />
              ))}
              {items.length > shown ? (
                <div>
                  <Button onClick={() => setShown(shown + PAGE_PATTERNS)}>Show more of {items.length} patterns</Button>
                </div>
              ) : null}
            </>
          )
        }
      </QueryView>
    </>
  );
}
