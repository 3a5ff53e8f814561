import { useQuery } from '@tanstack/react-query';
import { queuesQuery } from '../api/queries.js';
import { formatInboxCount, useInboxCount } from '../api/use-inbox-count.js';
import { useRights } from '../api/use-rights.js';
import { formatShortCount } from '../ui/format.js';

/** Returns what the navigation shows beside an entry, by its path. */
export function useNavigationCounts(): Readonly<Record<string, string>> {
  const can = useRights();
  const inbox = useInboxCount();
  const queues = useQuery({ ...queuesQuery, enabled: can('queues:read') });
  const letters = queues.data?.deadLetterCount ?? 0;
  return {
    ...(inbox.data === undefined || inbox.data === 0 ? {} : { '/inbox': formatInboxCount(inbox.data) }),
    ...(letters === 0 ? {} : { '/dead-letters': formatShortCount(letters) }),
  };
}
