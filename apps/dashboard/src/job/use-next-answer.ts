import { readList, readObject, readString } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';

/** An answer as the form of the fork edits it. */
export interface NextAnswer {
  readonly content: string;
  /** Its calls as JSON. */
  readonly calls: string;
}

/** Returns the first answer of a model after a position; undefined while it is loaded, null if there is none. */
export function useNextAnswer(jobId: JobId, position: number) {
  return useQuery({
    queryKey: ['job', jobId, 'next-answer', position],
    queryFn: async ({ signal }): Promise<NextAnswer | null> => {
      const query = { after: position, types: ['ModelResponded'], limit: 1 };
      const [event] = (await client.eventPage(jobId, query, { signal })).items;
      if (!event) return null;
      const calls = readList(event.data, 'calls').map((call) => ({
        name: readString(call, 'name') ?? '',
        arguments: readObject(call, 'arguments'),
      }));
      return { content: readString(event.data, 'content') ?? '', calls: JSON.stringify(calls, undefined, 2) };
    },
  });
}

/** Tells whether the event at a position is an answer of a model; false until it is loaded. */
export function useIsAnswer(jobId: JobId, position: number): boolean {
  const { data = false } = useQuery({
    queryKey: ['job', jobId, 'is-answer', position],
    queryFn: async ({ signal }) => {
      const [event] = (await client.eventPage(jobId, { after: position - 1, limit: 1 }, { signal })).items;
      return event?.position === position && event.type === 'ModelResponded';
    },
    staleTime: Infinity,
    meta: { isFinal: true },
  });
  return data;
}
