import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { toPrintable } from '../output/printable.js';

interface OverrideOptions {
  readonly job: string;
  readonly reason: string;
  readonly scope?: 'system' | 'tenant' | 'agent';
  /** Milliseconds. */
  readonly expires?: number;
  readonly revoke?: boolean;
}

/** `phaseline guards override NAME --job J`: lets the calls of one job pass a guard, or with `--revoke` ends that. */
export async function overrideGuard(
  context: CommandContext,
  name: string,
  { job, reason, scope, expires, revoke = false }: OverrideOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  if (revoke && expires !== undefined) throw new UsageError('Give --expires or --revoke, not both.');
  const client = await connect(context);
  const jobId = await findJob(client, job, signal);
  const common = { reason, ...(scope === undefined ? {} : { scope }) };
  const response = revoke
    ? await client.guards.revokeOverride(jobId, name, common, { signal })
    : await client.guards.override(
        jobId,
        name,
        { ...common, ...(expires === undefined ? {} : { expiresInMs: expires }) },
        { signal },
      );
  if (out.isStructured) out.writeDocument(response);
  else out.writeLines(`${jobId}: ${toPrintable(describe(name, revoke, response.changed))}`);
  return exitCode.ok;
}

function describe(name: string, isRevoked: boolean, isChanged: boolean): string {
  if (!isChanged) return `no override of ${name} to end.`;
  return isRevoked
    ? `the guard ${name} has its effect again.`
    : `the guard ${name} has no effect until the override expires. What it decides is recorded.`;
}
