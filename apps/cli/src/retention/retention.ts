import { EventStore, queryRows } from '@phaseline/event-store';
import { Retention, type RetentionResult } from '@phaseline/orchestration';
import { withLogPool } from '../audit/with-log-pool.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { getOperator } from './get-operator.js';
import { renderResult, renderTotals } from './render-retention.js';

interface TenantSetting {
  readonly tenant: string;
  readonly filesDays: number;
}

const READ_SETTINGS = {
  text: 'SELECT tenant, files_days AS "filesDays" FROM phaseline.retention_settings ORDER BY tenant',
  values: [],
};

/** `phaseline retention run [--dry-run]`: removes the files of ended jobs whose time is over. Safe while services run. */
export async function runRetention(
  context: CommandContext,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<ExitCode> {
  const { out, signal } = context;
  return withLogPool(context, 'phaseline-retention', async (pool) => {
    const results: RetentionResult[] = [];
    const retention = new Retention(new EventStore(pool), pool);
    const options = { actor: getOperator(), now: new Date(context.now()), dryRun, signal };
    for await (const result of retention.run(options)) {
      results.push(result);
      if (!out.isStructured) out.writeLines(renderResult(result, dryRun));
    }
    if (out.isStructured) out.writeDocument({ dryRun, jobs: results });
    else out.writeLines(renderTotals(results, dryRun));
    return exitCode.ok;
  });
}

/** `phaseline retention status`: shows how long each tenant keeps the files of ended jobs. */
export async function showRetention(context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  return withLogPool(context, 'phaseline-retention', async (pool) => {
    const tenants = await queryRows<TenantSetting>(pool, READ_SETTINGS);
    if (out.isStructured) out.writeDocument({ tenants });
    else if (tenants.length === 0) out.writeLines('Every tenant keeps its files.');
    else
      out.writeLines(
        ...tenants.map(
          ({ tenant, filesDays }) => `${tenant}: files are removed ${filesDays} days after the end of a job`,
        ),
        'All other tenants keep their files.',
      );
    return exitCode.ok;
  });
}

/** `phaseline retention set TENANT --files-days N | --keep`: sets how long a tenant keeps the files of ended jobs. */
export async function setRetention(
  context: CommandContext,
  tenant: string,
  { filesDays }: { readonly filesDays?: number; readonly keep?: boolean },
): Promise<ExitCode> {
  const { out } = context;
  return withLogPool(context, 'phaseline-retention', async (pool) => {
    if (filesDays === undefined)
      await pool.query('DELETE FROM phaseline.retention_settings WHERE tenant = $1', [tenant]);
    else
      await pool.query(
        `INSERT INTO phaseline.retention_settings (tenant, files_days) VALUES ($1, $2)
         ON CONFLICT (tenant) DO UPDATE SET files_days = excluded.files_days`,
        [tenant, filesDays],
      );
    if (out.isStructured) out.writeDocument({ tenant, filesDays: filesDays ?? null });
    else if (filesDays === undefined) out.writeLines(`${tenant} keeps its files.`);
    else out.writeLines(`${tenant}: files are removed ${filesDays} days after the end of a job.`);
    return exitCode.ok;
  });
}
