import type { RetentionRunJobRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { formatAge } from '../output/quantities.js';
import { followRun } from './follow-run.js';
import { renderCleaning, renderFigures, renderRun, renderRunJob, renderSetting } from './render-retention.js';

export interface RunOptions {
  /** Only show what would be removed. */
  readonly dryRun?: boolean;
  readonly tenant?: string;
}

/** `phaseline retention run [--dry-run]`: removes the files of ended jobs whose time is over, moves events to cold storage, and shows both. */
export async function runRetention(context: CommandContext, { dryRun = false, tenant }: RunOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const { runId } = await client.retention.startRun({ dryRun, tenant }, { signal });
  const jobs: RetentionRunJobRecord[] = [];
  const run = await followRun(client.retention, runId, context, (job) => {
    if (out.isStructured) jobs.push(job);
    else out.writeLines(renderRunJob(job, { dryRun }));
  });
  if (out.isStructured) out.writeDocument({ ...run, items: jobs });
  else out.writeLines(renderFigures(run));
  if (run.status !== 'failed') return exitCode.ok;
  out.writeMessage(
    `The run failed: ${toPrintable(run.failure ?? 'unknown reason')}. What it removed or moved before is done.`,
  );
  return exitCode.failed;
}

/** `phaseline retention status`: shows how long tenants keep what ended jobs leave behind, and the newest run. */
export async function showRetention(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const status = await (await connect(context)).retention.get({ signal });
  if (out.isStructured) {
    out.writeDocument(status);
    return exitCode.ok;
  }
  const { tenants, automaticEveryMs, lastRun, tables = [] } = status;
  const removing = tenants.filter(
    ({ filesDays, vectorsDays, learningDays, coldDays }) =>
      (filesDays ?? vectorsDays ?? learningDays ?? coldDays) !== null,
  );
  out.writeLines(
    ...removing.map(renderSetting),
    removing.length === 0 ? 'Every tenant keeps everything.' : 'All other tenants keep everything.',
    automaticEveryMs === undefined
      ? 'The service removes and moves nothing by itself.'
      : `The service removes and moves what is due every ${formatAge(automaticEveryMs)}.`,
    ...(lastRun ? [renderRun(lastRun)] : []),
    ...tables.map(renderCleaning),
  );
  return exitCode.ok;
}

export interface SetRetentionOptions {
  readonly filesDays?: number;
  readonly vectorsDays?: number;
  readonly learningDays?: number;
  readonly coldDays?: number;
  /** Keep everything for ever. */
  readonly keep?: boolean;
}

interface SettableDays {
  readonly filesDays?: number | null;
  readonly vectorsDays?: number | null;
  readonly learningDays?: number | null;
  readonly coldDays?: number | null;
}

/** `phaseline retention set TENANT --files-days N --vectors-days N --learning-days N --cold-days N | --keep`: sets how long a tenant keeps what ended jobs leave. */
export async function setRetention(
  context: CommandContext,
  tenant: string,
  { filesDays = null, vectorsDays = null, learningDays = null, coldDays = null }: SettableDays,
): Promise<ExitCode> {
  const { out, signal } = context;
  const setting = await (
    await connect(context)
  ).retention.set(tenant, { filesDays, vectorsDays, learningDays, coldDays }, { signal });
  if (out.isStructured) out.writeDocument(setting);
  else out.writeLines(renderSetting(setting));
  return exitCode.ok;
}
