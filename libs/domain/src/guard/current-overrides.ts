import type { GuardOverride } from './guard-events.js';

/** Which guard is overridden. */
export interface GuardName {
  readonly guard: string;
  /** Where the guard applies. Guards of different scopes may have the same name. */
  readonly scope: GuardOverride['scope'];
}

/** The overrides that have not expired. */
export function listCurrentOverrides(overrides: readonly GuardOverride[], now: Date): readonly GuardOverride[] {
  return overrides.filter(({ expiresAt }) => Date.parse(expiresAt) > now.getTime());
}

/** Removes the overrides of a guard. */
export function removeOverrides(
  overrides: readonly GuardOverride[],
  { guard, scope }: GuardName,
): readonly GuardOverride[] {
  return overrides.filter((override) => override.guard !== guard || override.scope !== scope);
}
