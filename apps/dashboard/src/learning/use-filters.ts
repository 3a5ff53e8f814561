import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

export type ChangeFilters<Name extends string> = (change: Partial<Readonly<Record<Name, string>>>) => void;

/** Filters that are parts of the address, so that a link leads to the same list. An empty text is no filter. */
export function useFilters<const Name extends string>(
  names: readonly Name[],
): readonly [Readonly<Record<Name, string>>, ChangeFilters<Name>] {
  const [path] = useLocation();
  const [params, setParams] = useSearchParams();
  const change = useCallback<ChangeFilters<Name>>(
    (part) => {
      // A filter that is typed takes effect later. It must not bring back a person who has opened something else meanwhile.
      if (location.pathname !== path) return;
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries<string | undefined>(part))
            if (value === undefined || value === '') after.delete(name);
            else after.set(name, value);
          return after;
        },
        { replace: true },
      );
    },
    [path, setParams],
  );
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? '']));
  return [values as Record<Name, string>, change];
}
