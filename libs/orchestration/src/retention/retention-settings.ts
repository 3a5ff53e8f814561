import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@phaseline/basics';
import { getActorName, type Actor } from '@phaseline/contracts';
import { getAdministrationVersion, retentionStream, type RetentionSet } from '@phaseline/domain';
import { queryRows, runInTransaction, type EventStore } from '@phaseline/event-store';
import type pg from 'pg';

/** How long a tenant keeps what its ended jobs leave behind, in days after the end of a job. */
export interface RetentionDays {
  /** Days that the content of files is kept; `null`: for ever. */
  readonly filesDays: number | null;
  /** Days that vectors for semantic search are kept; `null`: as long as the files. They never outlive the files. */
  readonly vectorsDays: number | null;
  /** Days that learning traces are kept that nobody promoted; `null`: for ever. */
  readonly learningDays: number | null;
  /** Days after which the events of ended phases move to cold storage; `null`: never. */
  readonly coldDays: number | null;
}

export interface RetentionSetting extends RetentionDays {
  readonly tenant: string;
  /** When and by whom the setting was changed last; `null` if that was not recorded. */
  readonly changedAt: string | null;
  readonly changedBy: string | null;
}

interface SettingRow {
  readonly tenant: string;
  readonly files_days: number | null;
  readonly vectors_days: number | null;
  readonly learning_days: number | null;
  readonly cold_days: number | null;
  readonly changed_at: Date | null;
  readonly changed_by: string | null;
}

/** Reads the settings of these tenants, or of all, by name. A tenant without a setting keeps everything. */
export async function readRetentionSettings(
  pool: pg.Pool,
  { tenants }: { readonly tenants?: readonly string[] | undefined } = {},
): Promise<readonly RetentionSetting[]> {
  const rows = await queryRows<SettingRow>(pool, {
    text: `SELECT tenant, files_days, vectors_days, learning_days, cold_days, changed_at, changed_by FROM phaseline.retention_settings
      WHERE $1::text[] IS NULL OR tenant = ANY ($1) ORDER BY tenant`,
    values: [tenants ?? null],
  });
  return rows.map(({ tenant, files_days, vectors_days, learning_days, cold_days, changed_at, changed_by }) => ({
    tenant,
    filesDays: files_days,
    vectorsDays: vectors_days,
    learningDays: learning_days,
    coldDays: cold_days,
    changedAt: changed_at?.toISOString() ?? null,
    changedBy: changed_by,
  }));
}

/** Replaces the setting of a tenant, and records who did so in the same commit. */
export async function setRetention(
  store: Pick<EventStore, 'appendWithin'>,
  pool: pg.Pool,
  tenant: string,
  {
    days: { filesDays, vectorsDays, learningDays, coldDays },
    actor,
  }: { readonly days: RetentionDays; readonly actor: Actor },
): Promise<void> {
  const name = getActorName(actor);
  const streamId = retentionStream(tenant);
  const type: RetentionSet['type'] = 'RetentionSet';
  const data: RetentionSet['data'] = { actor: name, filesDays, vectorsDays, learningDays, coldDays };
  await runInTransaction(pool, async (client) => {
    const [appended] = await store.appendWithin(client, {
      streamId,
      // The stream belongs to no job.
      correlationId: streamId as string,
      expectedVersion: 'any',
      events: [
        {
          ...{ eventId: randomUUID(), type, schemaVersion: getAdministrationVersion(type), data },
          // An interface lacks the index signature of JsonObject.
          metadata: { actor } as unknown as JsonObject,
        },
      ],
    });
    await client.query(
      `INSERT INTO phaseline.retention_settings (tenant, files_days, vectors_days, learning_days, cold_days, changed_at, changed_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant) DO UPDATE SET files_days = excluded.files_days,
         vectors_days = excluded.vectors_days, learning_days = excluded.learning_days, cold_days = excluded.cold_days,
         changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
      [tenant, filesDays, vectorsDays, learningDays, coldDays, appended!.recordedAt, name],
    );
  });
}
