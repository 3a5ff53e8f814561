import type { PhaselineClient, PrincipalRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { renderPrincipal, renderPrincipals } from './render-principals.js';

/** `phaseline principals list`: lists the principals that the caller may see. */
export async function listPrincipals(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const list = await (await connect(context)).principals.list({ signal });
  if (out.isStructured) out.writeDocument({ items: list });
  else out.writeLines(...renderPrincipals(list, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline principals show ID` */
export async function showPrincipal(context: CommandContext, id: string): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.get(id, context));
}

/** `phaseline principals create ID` */
export async function createPrincipal(
  context: CommandContext,
  id: string,
  { kind }: { readonly kind: PrincipalRecord['kind'] },
): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.create({ id, kind }, context));
}

/** `phaseline principals disable ID` */
export async function disablePrincipal(
  context: CommandContext,
  id: string,
  { reason }: { readonly reason: string },
): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.disable(id, { reason }, context));
}

/** `phaseline principals enable ID` */
export async function enablePrincipal(context: CommandContext, id: string): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.enable(id, context));
}

interface GrantOptions {
  readonly tenant: string;
}

/** `phaseline principals grant ID ROLE --tenant TENANT` */
export async function grantRole(
  context: CommandContext,
  id: string,
  role: string,
  { tenant }: GrantOptions,
): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.grant(id, { role, tenant }, context));
}

/** `phaseline principals revoke ID ROLE --tenant TENANT` */
export async function revokeRole(
  context: CommandContext,
  id: string,
  role: string,
  { tenant }: GrantOptions,
): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.revoke(id, { role, tenant }, context));
}

interface AccountOptions {
  readonly issuer?: string;
}

/** `phaseline principals link ID SUBJECT` */
export async function linkAccount(
  context: CommandContext,
  id: string,
  subject: string,
  { issuer }: AccountOptions,
): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.link(id, { subject, issuer }, context));
}

/** `phaseline principals unlink ID SUBJECT` */
export async function unlinkAccount(
  context: CommandContext,
  id: string,
  subject: string,
  { issuer, reason }: AccountOptions & { readonly reason: string },
): Promise<ExitCode> {
  return printChanged(context, ({ principals }) => principals.unlink(id, { subject, issuer, reason }, context));
}

/** Prints a principal as it is after the change. */
async function printChanged(
  context: CommandContext,
  change: (client: PhaselineClient) => Promise<PrincipalRecord>,
): Promise<ExitCode> {
  const { out } = context;
  const principal = await change(await connect(context));
  if (out.isStructured) out.writeDocument(principal);
  else out.writeLines(...renderPrincipal(principal, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}
