import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../api/client.js';

const REFETCH_MS = 30_000;

/** Reads the principals that the caller may see. */
export function usePrincipals() {
  return useQuery({
    queryKey: ['principals', 'list'],
    queryFn: ({ signal }) => client.principals.list({ signal }),
    refetchInterval: REFETCH_MS,
  });
}

/** Reads the keys of the principals that the caller may see. */
export function useKeys() {
  return useQuery({
    queryKey: ['principals', 'keys'],
    queryFn: ({ signal }) => client.keys.list({}, { signal }),
    refetchInterval: REFETCH_MS,
  });
}

/** Returns a function that sends a change of principals or keys, and reads both lists again. */
export function useChangePrincipals() {
  const queries = useQueryClient();
  return async <Result>(change: Promise<Result>): Promise<Result> => {
    const result = await change;
    await queries.invalidateQueries({ queryKey: ['principals'] });
    // The caller may have changed its own rights.
    await queries.invalidateQueries({ queryKey: ['whoami'] });
    return result;
  };
}
