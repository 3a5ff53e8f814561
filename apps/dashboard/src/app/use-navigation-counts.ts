import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { queuesQuery } from '../api/queries.js';
import { useRights } from '../api/use-rights.js';
import { formatShortCount } from '../ui/format.js';

/** Above this number of entries the navigation shows `99+`. */
const MAX_COUNTED = 99;

/** Returns what the navigation shows beside an entry, by its path. */
export function useNavigationCounts(): Readonly<Record<string, string>> {
  const can = useRights();
  const inbox = useQuery({
    queryKey: ['inbox', 'count'],
    queryFn: ({ signal }) => countInbox(signal),
    enabled: can('inbox:read'),
    refetchInterval: 30_000,
  });
  const queues = useQuery({ ...queuesQuery, enabled: can('queues:read') });
  const letters = queues.data?.deadLetterCount ?? 0;
  return {
    ...(inbox.data === undefined || inbox.data === 0
      ? {}
      : { '/inbox': inbox.data > MAX_COUNTED ? `${MAX_COUNTED}+` : String(inbox.data) }),
    ...(letters === 0 ? {} : { '/dead-letters': formatShortCount(letters) }),
  };
}

async function countInbox(signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const _ of client.inbox({ limit: MAX_COUNTED + 1 }, { signal })) {
    count += 1;
    if (count > MAX_COUNTED) break;
  }
  return count;
}
