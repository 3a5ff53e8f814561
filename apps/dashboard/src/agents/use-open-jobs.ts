import { isEnded, jobStatuses } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';
import { formatCount } from '../ui/format.js';

/** Open jobs that are counted. More are shown as `3+`. */
const MAX_COUNTED = 200;

/** Returns a function that writes how many jobs of an agent have not ended. */
export function useOpenJobs(): (agent: string) => string {
  const can = useRights();
  const { data } = useQuery({
    queryKey: ['jobs', 'open-by-agent'],
    queryFn: ({ signal }) =>
      client.listPage({ statuses: jobStatuses.filter((one) => !isEnded(one)), limit: MAX_COUNTED }, { signal }),
    enabled: can('jobs:read'),
    refetchInterval: 30_000,
  });
  return (agent) => {
    if (!data) return '–';
    const count = data.items.filter((job) => job.agent === agent).length;
    return `${formatCount(count)}${data.nextCursor === undefined ? '' : '+'}`;
  };
}
