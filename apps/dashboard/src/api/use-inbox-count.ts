import { useQuery } from '@tanstack/react-query';
import { client } from './client.js';
import { useRights } from './use-rights.js';

/** Above this number of entries the pages show `99+`. */
const MAX_COUNTED = 99;

/** Number of entries in the inbox. It counts to one more than is shown. */
export function useInboxCount() {
  const can = useRights();
  return useQuery({
    queryKey: ['inbox', 'count'],
    queryFn: ({ signal }) => countInbox(signal),
    enabled: can('inbox:read'),
    refetchInterval: 30_000,
  });
}

export function formatInboxCount(count: number): string {
  return count > MAX_COUNTED ? `${MAX_COUNTED}+` : String(count);
}

async function countInbox(signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const _ of client.inbox({ limit: MAX_COUNTED + 1 }, { signal })) {
    count += 1;
    if (count > MAX_COUNTED) break;
  }
  return count;
}
