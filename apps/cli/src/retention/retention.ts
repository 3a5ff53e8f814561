import { EventStore } from '@phaseline/event-store';
import {
  readRetentionSettings,
  Retention,
  setRetention as storeSetting,
  type RetentionResult,
} from '@phaseline/orchestration';
import { withLogPool } from '../audit/with-log-pool.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { getOperator } from './get-operator.js';
import { renderResult, renderSetting, renderTotals } from './render-retention.js';

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
    const tenants = await readRetentionSettings(pool);
    if (out.isStructured) out.writeDocument({ tenants });
    else {
      const removing = tenants.filter(({ filesDays, vectorsDays }) => filesDays !== null || vectorsDays !== null);
      out.writeLines(
        ...removing.map(renderSetting),
        removing.length === 0 ? 'Every tenant keeps its files.' : 'All other tenants keep their files.',
      );
    }
    return exitCode.ok;
  });
}

/** `phaseline retention set TENANT --files-days N --vectors-days N | --keep`: sets how long a tenant keeps what ended jobs leave. */
export async function setRetention(
  context: CommandContext,
  tenant: string,
  { filesDays = null, vectorsDays = null }: { filesDays?: number | null; vectorsDays?: number | null; keep?: boolean },
): Promise<ExitCode> {
  const { out } = context;
  return withLogPool(context, 'phaseline-retention', async (pool) => {
    const days = { filesDays, vectorsDays };
    await storeSetting(pool, tenant, days, { actor: getOperator(), now: new Date(context.now()) });
    if (out.isStructured) out.writeDocument({ tenant, ...days });
    else out.writeLines(renderSetting({ tenant, ...days }));
    return exitCode.ok;
  });
}
