import { getActorName, type Actor } from '@phaseline/contracts';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

/** How long a tenant keeps what its ended jobs leave behind, in days after the end of a job. */
export interface RetentionDays {
  /** Days that the content of files is kept; `null`: for ever. */
  readonly filesDays: number | null;
  /** Days that vectors for semantic search are kept; `null`: as long as the files. They never outlive the files. */
  readonly vectorsDays: number | null;
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
  readonly changed_at: Date | null;
  readonly changed_by: string | null;
}

/** Reads the settings of these tenants, or of all, by name. A tenant without a setting keeps everything. */
export async function readRetentionSettings(
  pool: pg.Pool,
  { tenants }: { readonly tenants?: readonly string[] | undefined } = {},
): Promise<readonly RetentionSetting[]> {
  const rows = await queryRows<SettingRow>(pool, {
    text: `SELECT tenant, files_days, vectors_days, changed_at, changed_by FROM phaseline.retention_settings
      WHERE $1::text[] IS NULL OR tenant = ANY ($1) ORDER BY tenant`,
    values: [tenants ?? null],
  });
  return rows.map(({ tenant, files_days, vectors_days, changed_at, changed_by }) => ({
    tenant,
    filesDays: files_days,
    vectorsDays: vectors_days,
    changedAt: changed_at?.toISOString() ?? null,
    changedBy: changed_by,
  }));
}

/** Replaces the setting of a tenant. */
export async function setRetention(
  pool: pg.Pool,
  tenant: string,
  { filesDays, vectorsDays }: RetentionDays,
  { actor, now }: { readonly actor: Actor; readonly now: Date },
): Promise<void> {
  await queryRows(pool, {
    text: `INSERT INTO phaseline.retention_settings (tenant, files_days, vectors_days, changed_at, changed_by)
      VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant) DO UPDATE SET files_days = excluded.files_days,
        vectors_days = excluded.vectors_days, changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
    values: [tenant, filesDays, vectorsDays, now, getActorName(actor)],
  });
}
