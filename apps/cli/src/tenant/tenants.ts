import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { actorOf } from '../control/actor.js';
import { renderTenant, renderTenants } from './render-tenants.js';

/** `phaseline tenants`: whose phases are under way, whose wait, and how many each may have. */
export async function tenants(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const list = await (await connect(context)).tenants({ signal });
  if (out.json) out.document({ tenants: list });
  else out.lines(...renderTenants(list, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline tenants set TENANT`: `undefined` gives the word back to the configuration. */
export async function setTenant(
  context: CommandContext,
  tenant: string,
  maxPhases: number | undefined,
): Promise<ExitCode> {
  const { out, signal, env } = context;
  const client = await connect(context);
  const now = await client.setTenant(tenant, { maxPhases: maxPhases ?? null, actor: actorOf(env) }, { signal });
  if (out.json) out.document(now);
  else out.lines(renderTenant(now));
  return exitCode.ok;
}
