import type { DeadLetterDetail } from '@phaseline/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { describeError } from '../ui/notice.js';
import type { Outcome } from './dead-letter-fields.js';

const PAGE_SIZE = 100;

/** Reads the open dead letters page by page, latest first; of one queue if one is given. */
export function useDeadLetters(queue: string) {
  return useInfiniteQuery({
    queryKey: ['dead-letters', 'list', queue],
    queryFn: ({ pageParam, signal }) =>
      client.deadLetters.listPage(
        {
          limit: PAGE_SIZE,
          ...(queue === '' ? {} : { queue }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 30_000,
  });
}

/** Reads one dead letter with its whole payload. */
export function useDeadLetter(id: string) {
  return useQuery({
    queryKey: ['dead-letters', 'one', id],
    queryFn: ({ signal }) => client.deadLetters.get(id, { signal }),
    // A submission that was sent again soon leads to a job.
    refetchInterval: ({ state: { data } }) => (data && isExpectingJob(data, Date.now()) ? 1_500 : false),
  });
}

/** Time in milliseconds in which the message of a submission is handled, unless its queue is long. */
const EXPECTED_MS = 60_000;

function isExpectingJob({ queue, jobId, retriedAt }: DeadLetterDetail, nowMs: number): boolean {
  return queue === 'jobs' && jobId === undefined && nowMs - Date.parse(retriedAt ?? '') < EXPECTED_MS;
}

/** What to do with dead letters. Only discarding has a reason. */
export interface Closing {
  readonly action: 'retry' | 'discard';
  readonly reason?: string;
}

/** Retries or discards dead letters one after the other. A refusal concerns one of them, so the others are still done. */
export function useCloseDeadLetters() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, ...closing }: Closing & { readonly ids: readonly string[] }) => {
      const outcomes: Outcome[] = [];
      for (const id of ids) outcomes.push(await closeOne(closing, id));
      return outcomes;
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['dead-letters'] });
      await queries.invalidateQueries({ queryKey: ['queues'] });
    },
  });
}

async function closeOne({ action, reason = '' }: Closing, id: string): Promise<Outcome> {
  try {
    await (action === 'retry'
      ? client.deadLetters.retry(id)
      : client.deadLetters.discard(id, reason === '' ? {} : { reason }));
    return { id };
  } catch (error) {
    return { id, refusal: describeError(error) };
  }
}
