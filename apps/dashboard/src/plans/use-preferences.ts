import { PhaselineClientError, type ChangePreferencesRequest, type Preferences } from '@phaseline/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { useRights } from '../api/use-rights.js';

/** The right that the routes of preferences need. */
export const PREFERENCES_RIGHT = 'questions:answer';

const toKey = (tenant: string | undefined) => ['preferences', tenant] as const;

/** Reads the lasting preferences of the caller for plans in a tenant, if the caller may. */
export function usePreferences(tenant: string | undefined) {
  const can = useRights();
  return useQuery({
    queryKey: toKey(tenant),
    queryFn: ({ signal }) => client.preferences({ tenant }, { signal }),
    enabled: tenant !== undefined && can(PREFERENCES_RIGHT, tenant),
  });
}

interface PreferencesEdit {
  readonly changes: ChangePreferencesRequest;
  /** Version of the preferences that the person saw. */
  readonly version: number;
}

/** Returns the mutation that changes preferences. After a conflict, the present ones are read, so that the person sees them. */
export function useSavePreferences(tenant: string | undefined) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ changes, version }: PreferencesEdit) => {
      const store = (preferences: Preferences): Preferences => {
        queryClient.setQueryData(toKey(tenant), preferences);
        return preferences;
      };
      try {
        return store(await client.changePreferences(changes, { tenant }, { ifVersion: version }));
      } catch (error) {
        if (!isConflict(error)) throw error;
        const present = store(await client.preferences({ tenant }));
        // The client sends a change again whose answer was lost. The conflict is then one with itself.
        if (!contains(present, changes)) throw error;
        return present;
      }
    },
  });
}

/** Whether the preferences were not those that the person saw. */
export function isConflict(error: unknown): boolean {
  return error instanceof PhaselineClientError && error.code === 'preferences_changed';
}

function contains({ preferences, set }: Preferences, changes: ChangePreferencesRequest): boolean {
  return Object.entries(changes).every(([key, value]) =>
    value === null ? !set.includes(key) : set.includes(key) && preferences[key] === value,
  );
}
