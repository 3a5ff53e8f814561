import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import { getActorName, type Actor, type BacktestFigures } from '@phaseline/contracts';
import {
  addGuardVersion,
  evolveGuard,
  findAdministrationCatalogue,
  getAdministrationVersion,
  guardStream,
  listGuardsInForce,
  NO_GUARD,
  promoteGuard,
  recordBacktest,
  rollBackGuard,
  type Guard,
  type GuardChange,
  type GuardHistory,
  type GuardRegistryEvent,
  type ParsedStoredGuard,
  type PromotionRequest,
} from '@phaseline/domain';
import {
  queryRows,
  runInTransaction,
  WrongExpectedVersion,
  type EventStore,
  type RecordedEvent,
} from '@phaseline/event-store';
import type pg from 'pg';
import { GuardChangeRefused, StoredGuardMissing } from './guard-errors.js';
import { summariseGuard, type GuardSummary } from './guard-summary.js';
import { hashStoredGuard } from './unstored-guard.js';

/** Where a stored guard belongs: to a tenant, or without one to the installation. */
export interface GuardPlace {
  readonly tenant: string | undefined;
  readonly name: string;
}

/** A change that was recorded, or that had been made before. */
export interface GuardChangeResult {
  readonly isChanged: boolean;
  readonly history: GuardHistory;
}

/** An event of a guard's stream with its time. */
export interface GuardEventRecord {
  readonly event: GuardRegistryEvent;
  /** ISO time. */
  readonly at: string;
  /** Position in the log. */
  readonly position: number;
}

/** Maximum number of versions in shadow and production per tenant, and of the installation: a phase receives at most 500 guards. */
const MAX_GUARDS_IN_FORCE = 50;

/** Conflicting changes of the same guard in a row; people make them. */
const MAX_CONFLICTS = 5;

/**
 * Guards of tenants and of the installation. The stream of a guard has all its versions and their stages; the table is written in the same
 * transaction. All methods throw DatabaseUnreachable.
 */
export class GuardRegistry {
  constructor(
    private readonly pool: pg.Pool,
    private readonly store: Pick<EventStore, 'appendWithin' | 'read'>,
  ) {}

  /** Adds a version as a draft. Throws GuardChangeRefused. */
  add(tenant: string | undefined, guard: ParsedStoredGuard, actor: Actor): Promise<GuardChangeResult> {
    const added = { ...guard, version: hashStoredGuard(guard), actor: getActorName(actor) };
    return this.change({ tenant, name: guard.name }, actor, (history) => addGuardVersion(history, added));
  }

  /** Records what a backtest of a version found. Throws GuardChangeRefused and StoredGuardMissing. */
  recordBacktest(
    place: GuardPlace,
    number: number,
    figures: BacktestFigures,
    actor: Actor,
  ): Promise<GuardChangeResult> {
    return this.change(place, actor, (history) => recordBacktest(history, number, figures, getActorName(actor)));
  }

  /** Takes a version to its next stage. Throws GuardChangeRefused and StoredGuardMissing. */
  promote(place: GuardPlace, request: Omit<PromotionRequest, 'actor'>, actor: Actor): Promise<GuardChangeResult> {
    return this.change(place, actor, (history) => promoteGuard(history, { ...request, actor: getActorName(actor) }));
  }

  /** Takes the version in production out of effect. Throws GuardChangeRefused and StoredGuardMissing. */
  rollBack(
    place: GuardPlace,
    request: Omit<Parameters<typeof rollBackGuard>[1], 'actor'>,
    actor: Actor,
  ): Promise<GuardChangeResult> {
    return this.change(place, actor, (history) => rollBackGuard(history, { ...request, actor: getActorName(actor) }));
  }

  /** Reads what happened to a guard; empty if there is no such guard. */
  async readEvents({ tenant, name }: GuardPlace): Promise<readonly GuardEventRecord[]> {
    const events = await this.store.read(guardStream(name, tenant));
    return events.map((recorded) => ({
      event: decodeGuardEvent(recorded),
      at: recorded.recordedAt,
      position: recorded.position,
    }));
  }

  /** Returns a guard with its versions; without any if there is no such guard. */
  async read(place: GuardPlace): Promise<GuardHistory> {
    return (await this.readEvents(place)).reduce((before, { event }) => evolveGuard(before, event), NO_GUARD);
  }

  /** Lists the stored guards of these tenants, and of the installation, by place and name. */
  async list(tenants: 'all' | readonly string[]): Promise<readonly (GuardPlace & GuardSummary)[]> {
    const rows = await queryRows<{ tenant: string; name: string; summary: GuardSummary }>(this.pool, {
      text: `SELECT tenant, name, summary FROM phaseline.guards
        WHERE tenant = '' OR $1::text[] IS NULL OR tenant = ANY ($1) ORDER BY tenant, name`,
      values: [tenants === 'all' ? null : [...tenants]],
    });
    return rows.map(({ tenant, name, summary }) => ({ ...summary, tenant: tenant === '' ? undefined : tenant, name }));
  }

  /** Returns the guards that phases of a tenant receive now: those of the installation, then those of the tenant. */
  async listInForce(tenant: string): Promise<readonly Guard[]> {
    const rows = await queryRows<{ in_force: Guard[] }>(this.pool, {
      text: `SELECT in_force FROM phaseline.guards
        WHERE tenant IN ('', $1) AND in_force <> '[]' ORDER BY tenant, name`,
      values: [tenant],
    });
    return rows.flatMap(({ in_force: guards }) => guards);
  }

  private async change(
    place: GuardPlace,
    actor: Actor,
    decide: (history: GuardHistory) => GuardChange,
  ): Promise<GuardChangeResult> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const history = await this.read(place);
      const decided = decide(history);
      if ('refused' in decided) throw toError(place, history, decided);
      if (decided.events.length === 0) return { isChanged: false, history };
      const after = decided.events.reduce(evolveGuard, history);
      try {
        await this.record(place, history, after, decided.events, actor);
        return { isChanged: true, history: after };
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
    throw new GuardChangeRefused(`the guard ${place.name} was changed by others meanwhile; show it and try again`);
  }

  private async record(
    { tenant, name }: GuardPlace,
    before: GuardHistory,
    after: GuardHistory,
    events: readonly GuardRegistryEvent[],
    actor: Actor,
  ): Promise<void> {
    const streamId = guardStream(name, tenant);
    const inForce = listGuardsInForce(after, tenant === undefined ? 'system' : 'tenant');
    await runInTransaction(this.pool, async (client) => {
      const appended = await this.store.appendWithin(client, {
        streamId,
        // The stream belongs to no job.
        correlationId: streamId as string,
        expectedVersion: before.streamVersion,
        events: events.map(({ type, data }) => ({
          ...{ eventId: randomUUID(), type, schemaVersion: getAdministrationVersion(type) },
          data: data as unknown as JsonObject,
          metadata: { actor } as unknown as JsonObject,
        })),
      });
      await client.query(
        `INSERT INTO phaseline.guards (tenant, name, stream_version, summary, in_force, changed_by, changed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (tenant, name) DO UPDATE SET stream_version = excluded.stream_version, summary = excluded.summary,
           in_force = excluded.in_force, changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
        [
          ...[tenant ?? '', name, after.streamVersion, JSON.stringify(summariseGuard(after)), JSON.stringify(inForce)],
          ...[getActorName(actor), appended.at(-1)!.recordedAt],
        ],
      );
      await assertFewInForce(client, tenant);
    });
  }
}

/** Counts after the change, so that what the change makes room for counts. Rolls the change back. */
async function assertFewInForce(client: pg.ClientBase, tenant: string | undefined): Promise<void> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT coalesce(sum(jsonb_array_length(in_force)), 0) AS count FROM phaseline.guards WHERE tenant = $1`,
    [tenant ?? ''],
  );
  if (Number(rows[0]!.count) > MAX_GUARDS_IN_FORCE)
    throw new GuardChangeRefused(
      `at most ${MAX_GUARDS_IN_FORCE} versions of guards can be in shadow and production; roll back one that is no longer needed`,
    );
}

/** Decodes an event of the stream of a stored guard. */
export function decodeGuardEvent(recorded: RecordedEvent): GuardRegistryEvent {
  return findAdministrationCatalogue(recorded.streamId)!.decode(recorded) as GuardRegistryEvent;
}

function toError(
  { name }: GuardPlace,
  history: GuardHistory,
  { refused, isMissing }: Extract<GuardChange, { readonly refused: string }>,
): Error {
  if (history.versions.length === 0) return new StoredGuardMissing(name);
  return isMissing ? new StoredGuardMissing(name, refused) : new GuardChangeRefused(refused);
}
