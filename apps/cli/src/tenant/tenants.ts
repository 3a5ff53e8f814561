import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { renderTenant, renderTenants } from './render-tenants.js';

/** `phaseline tenants`: shows the running and waiting phases of each tenant, and its limit. */
export async function tenants(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const list = await (await connect(context)).tenants.list({ signal });
  if (out.isStructured) out.writeDocument({ items: list });
  else out.writeLines(...renderTenants(list, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

export interface SetTenantOptions {
  readonly maxRunningPhases?: number;
  /** Remove the limit, so that the configured default applies. */
  readonly clear?: boolean;
}

/** `phaseline tenants set TENANT`: sets or removes the limit of a tenant. */
export async function setTenant(
  context: CommandContext,
  tenant: string,
  { maxRunningPhases }: SetTenantOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const updated = await client.tenants.set(tenant, { maxRunningPhases: maxRunningPhases ?? null }, { signal });
  if (out.isStructured) out.writeDocument(updated);
  else out.writeLines(renderTenant(updated));
  return exitCode.ok;
}
