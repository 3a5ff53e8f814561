import type { GuardBacktestRecord, GuardChangeRecord, GuardRecord, GuardSummaryRecord } from '@phaseline/client';
import { evolveGuard, NO_GUARD, type Guard, type GuardHistory } from '@phaseline/domain';
import { summariseGuard, type GuardEventRecord, type GuardPlace, type GuardSummary } from '@phaseline/orchestration';

/** Maximum numbers of versions and changes of a guard that are returned. */
const MAX_VERSIONS = 50;
const MAX_CHANGES = 100;
const MAX_BACKTESTS = 20;

/** Builds the record of a guard in a folder of the installation. */
export function toFileRecord({ name, owner, kind, stage, version }: Guard): GuardSummaryRecord {
  return {
    ...{ scope: 'system', name, owner, kind, source: 'file', newest: { version } },
    ...(stage === 'shadow' ? { shadow: { version } } : {}),
    ...(stage === 'production' ? { production: { version } } : {}),
  };
}

/** Builds the record of a stored guard. */
export function toSummaryRecord({ tenant, name }: GuardPlace, summary: GuardSummary): GuardSummaryRecord {
  const { owner, kind, newest, shadow, production } = summary;
  return {
    ...(tenant === undefined ? { scope: 'system' } : { scope: 'tenant', tenant }),
    ...{ name, owner, kind, source: 'stored', newest },
    ...(shadow ? { shadow } : {}),
    ...(production ? { production } : {}),
  };
}

/** Builds the response to a change. */
export function toChangeRecord(
  place: GuardPlace,
  { isChanged, history }: { readonly isChanged: boolean; readonly history: GuardHistory },
): GuardChangeRecord {
  return { changed: isChanged, guard: toSummaryRecord(place, summariseGuard(history)) };
}

/** Builds the record of a stored guard with its history. */
export function toGuardRecord(
  place: GuardPlace,
  events: readonly GuardEventRecord[],
  decisions: GuardRecord['decisions'],
): GuardRecord {
  const history = events.reduce((before, { event }) => evolveGuard(before, event), NO_GUARD);
  const addedAt = events.flatMap(({ event, at }) => (event.type === 'GuardVersionAdded' ? [at] : []));
  const backtests = Map.groupBy(events.flatMap(toBacktestRecords), ({ number }) => number);
  const versions = history.versions.map(({ added, stage }, index): GuardRecord['versions'][number] => {
    const { number, version, owner, description, actor, definition, minLabelled, limits } = added;
    const isShown = stage !== 'draft' || number === history.versions.length;
    return {
      ...{ number, version, stage, owner, addedBy: actor, addedAt: addedAt[index]!, minLabelled },
      ...(limits ? { limits } : {}),
      backtests: (backtests.get(number) ?? []).toReversed().slice(0, MAX_BACKTESTS),
      ...(description === undefined ? {} : { description }),
      ...(isShown ? { definition } : {}),
    };
  });
  const changes = events.flatMap(({ event, at }): GuardRecord['changes'] => {
    if (event.type !== 'GuardStageChanged') return [];
    const { number, from, to, cause, actor, reason, basis } = event.data;
    return [{ number, from, to, cause, actor, reason, ...(basis ? { basis } : {}), at }];
  });
  return {
    ...toSummaryRecord(place, summariseGuard(history)),
    decisions,
    versions: versions.toReversed().slice(0, MAX_VERSIONS),
    changes: changes.toReversed().slice(0, MAX_CHANGES),
  };
}

/** Removes the hits that backtests name, which are of jobs that the caller may not read. */
export function withoutExamples(guard: GuardRecord): GuardRecord {
  const versions = guard.versions.map((version) => ({
    ...version,
    backtests: version.backtests.map((backtest) => ({ ...backtest, examples: [] })),
  }));
  return { ...guard, versions };
}

function toBacktestRecords({ event, at }: GuardEventRecord): readonly GuardBacktestRecord[] {
  if (event.type !== 'GuardBacktested') return [];
  const { version: _version, ...backtest } = event.data;
  return [{ at, ...backtest }];
}
