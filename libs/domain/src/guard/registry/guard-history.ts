import type { Guard } from '../guard.js';
import type { GuardBacktested, GuardRegistryEvent, GuardVersionAdded } from './registry-events.js';

/** A version of a stored guard. */
export interface GuardVersion {
  readonly added: GuardVersionAdded;
  readonly stage: Guard['stage'];
  /** The newest figures; absent if it was never backtested. */
  readonly backtest?: GuardBacktested;
}

/** A stored guard with all its versions, folded from its stream. */
export interface GuardHistory {
  /** Version of the stream. */
  readonly streamVersion: number;
  /** Oldest first: the version with the number n is at n - 1. */
  readonly versions: readonly GuardVersion[];
  /** Numbers of the versions that were in production and were not rolled back, in order. The last one is in production, or was. */
  readonly production: readonly number[];
}

export const NO_GUARD: GuardHistory = { streamVersion: 0, versions: [], production: [] };

/** Folds one event of the stream of a guard. */
export function evolveGuard(history: GuardHistory, event: GuardRegistryEvent): GuardHistory {
  const streamVersion = history.streamVersion + 1;
  if (event.type === 'GuardVersionAdded')
    return { ...history, streamVersion, versions: [...history.versions, { added: event.data, stage: 'draft' }] };
  if (event.type === 'GuardBacktested') {
    const versions = history.versions.map((version): GuardVersion =>
      version.added.number === event.data.number
        ? { ...version, stage: version.stage === 'draft' ? 'backtest' : version.stage, backtest: event.data }
        : version,
    );
    return { ...history, streamVersion, versions };
  }
  const { number, to, cause } = event.data;
  const versions = history.versions.map((version) =>
    version.added.number === number ? { ...version, stage: to } : version,
  );
  let { production } = history;
  if (to === 'production' && production.at(-1) !== number) production = [...production, number];
  if (cause === 'rolled_back') production = production.slice(0, -1);
  return { streamVersion, versions, production };
}

/** The version with a number, or without one the newest that has the hash or any; `undefined` if there is none. */
export function findVersion(
  { versions }: GuardHistory,
  { version, number }: { readonly version?: string | undefined; readonly number?: number | undefined },
): GuardVersion | undefined {
  return versions.findLast(
    ({ added }) => (version ?? added.version) === added.version && (number ?? added.number) === added.number,
  );
}

/** The version in a stage; `undefined` if there is none. At most one version is in shadow, and at most one in production. */
export function findVersionInStage(history: GuardHistory, stage: 'shadow' | 'production'): GuardVersion | undefined {
  return history.versions.find((version) => version.stage === stage);
}

/** The versions that phases receive, as guards of the scope. */
export function listGuardsInForce({ versions }: GuardHistory, scope: 'system' | 'tenant'): readonly Guard[] {
  return versions
    .filter(({ stage }) => stage === 'shadow' || stage === 'production')
    .map((version) => toGuard(version, scope));
}

/** Builds the guard that runs from a version. */
export function toGuard(
  { added: { name, version, owner, definition }, stage }: GuardVersion,
  scope: Guard['scope'],
): Guard {
  return { ...definition, ...{ name, version, scope, stage, owner } };
}
