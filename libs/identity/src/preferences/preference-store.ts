import { randomUUID } from 'node:crypto';
import { CodedError, type JsonObject } from '@phaseline/basics';
import { getActorName, type Actor } from '@phaseline/contracts';
import { getAdministrationVersion, preferencesStream, type PreferencesChanged } from '@phaseline/domain';
import { queryRows, runInTransaction, WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';
import {
  evolvePreferences,
  findRealChanges,
  foldPreferences,
  mergeAnswer,
  type CurrentPreferences,
  type StoredPreferences,
  type StyleAnswer,
} from './preferences.js';

/** Attempts of a change while others change the same preferences. */
const MAX_CONFLICTS = 5;

/** The preferences are not those that the author of a change saw. */
export class PreferencesOutdated extends CodedError {
  readonly code = 'preferences_changed';
}

/** Whose preferences: those of a person in a tenant. */
export interface PreferenceOwner {
  readonly user: string;
  readonly tenant: string;
}

/** What the plans of a person know about the style of conversations. */
export interface StyleQuestion {
  /** Whether a plan has asked the person. */
  readonly wasAsked: boolean;
  /** The last answer, if there is one. */
  readonly answer?: StyleAnswer;
}

/**
 * Lasting preferences of people for plans. Each change is an event, and the table `interaction_policies` is written in the same transaction.
 * Answers to plans are facts of those plans: they are read from the read model of their questions. All methods throw DatabaseUnreachable.
 */
export class PreferenceStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly store: Pick<EventStore, 'read' | 'appendWithin'>,
  ) {}

  /** Reads what applies to a person, and whether a plan has asked them for the style of conversations. */
  async read(owner: PreferenceOwner): Promise<CurrentPreferences & Pick<StyleQuestion, 'wasAsked'>> {
    const [{ wasAsked, answer }, stored] = await Promise.all([this.findStyle(owner), this.readStored(owner)]);
    return { ...mergeAnswer(stored, answer), wasAsked };
  }

  /**
   * Changes preferences; `null` clears one. Nothing is recorded if nothing changes, so that a repeat is harmless. Throws PreferencesOutdated
   * if something changes and `expectedVersion` is given, but not current.
   */
  async change(
    owner: PreferenceOwner,
    changes: JsonObject,
    { actor, expectedVersion }: { readonly actor: Actor; readonly expectedVersion?: number | undefined },
  ): Promise<void> {
    const stream = preferencesStream(owner.user, owner.tenant);
    for (let conflicts = 0; ; conflicts += 1) {
      const stored = foldPreferences(await this.store.read(stream));
      const current = mergeAnswer(stored, (await this.findStyle(owner)).answer);
      const real = findRealChanges(current.values, changes);
      if (Object.keys(real).length === 0) return;
      if (expectedVersion !== undefined && expectedVersion !== current.version)
        throw new PreferencesOutdated(
          `The preferences have the version ${current.version}, and the change is for the version ${expectedVersion}.`,
        );
      try {
        return await runInTransaction(this.pool, (client) => this.append(client, owner, stored, real, actor));
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion) || conflicts >= MAX_CONFLICTS) throw error;
      }
    }
  }

  private async append(
    client: pg.ClientBase,
    owner: PreferenceOwner,
    stored: StoredPreferences,
    changes: JsonObject,
    actor: Actor,
  ): Promise<void> {
    const streamId = preferencesStream(owner.user, owner.tenant);
    const type: PreferencesChanged['type'] = 'PreferencesChanged';
    const data = { actor: getActorName(actor), changes };
    const [appended] = await this.store.appendWithin(client, {
      streamId,
      // The stream belongs to no job.
      correlationId: streamId as string,
      expectedVersion: stored.version,
      events: [
        {
          ...{ eventId: randomUUID(), type, schemaVersion: getAdministrationVersion(type), data },
          // An interface lacks the index signature of JsonObject.
          metadata: { actor } as unknown as JsonObject,
        },
      ],
    });
    await writePreferences(client, owner, evolvePreferences(stored, { data }, appended!));
  }

  private async readStored({ user, tenant }: PreferenceOwner): Promise<StoredPreferences> {
    const [row] = await queryRows<PreferenceRow>(this.pool, {
      text: `SELECT ${COLUMNS} FROM phaseline.interaction_policies WHERE tenant = $1 AND user_name = $2`,
      values: [tenant, user],
    });
    return row ? toStored(row) : foldPreferences([]);
  }

  private async findStyle({ user, tenant }: PreferenceOwner): Promise<StyleQuestion> {
    const rows = await queryRows<{ value: string | null; position: string | null }>(this.pool, {
      text: `SELECT value, answered_position AS position FROM phaseline.preference_questions
        WHERE tenant = $1 AND user_name = $2 AND preference = 'conversationStyle'
        ORDER BY answered_position DESC NULLS LAST LIMIT 1`,
      values: [tenant, user],
    });
    const [last] = rows;
    if (!last) return { wasAsked: false };
    const { value, position } = last;
    return { wasAsked: true, ...(value === null ? {} : { answer: { value, position: Number(position) } }) };
  }
}

export interface PreferenceRow {
  readonly tenant: string;
  readonly user_name: string;
  readonly preferences: JsonObject;
  readonly version: string;
  readonly position: string;
  readonly style_position: string | null;
  readonly changed_at: string;
}

export const COLUMNS = `tenant, user_name, preferences, version, position, style_position,
  to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS changed_at`;

export function toStored(row: PreferenceRow): StoredPreferences {
  const { preferences, version, position, style_position: stylePosition, changed_at: changedAt } = row;
  return {
    ...{ values: preferences, version: Number(version), position: Number(position), changedAt },
    stylePosition: stylePosition === null ? null : Number(stylePosition),
  };
}

/** Writes the row of a person, or replaces it. */
export async function writePreferences(
  client: pg.ClientBase,
  { user, tenant }: PreferenceOwner,
  { values, version, position, stylePosition, changedAt }: StoredPreferences,
): Promise<void> {
  await client.query(
    `INSERT INTO phaseline.interaction_policies
       (tenant, user_name, preferences, version, position, style_position, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (tenant, user_name) DO UPDATE SET preferences = excluded.preferences, version = excluded.version,
       position = excluded.position, style_position = excluded.style_position, changed_at = excluded.changed_at`,
    [tenant, user, JSON.stringify(values), version, position, stylePosition, changedAt],
  );
}
