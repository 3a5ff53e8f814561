import type { ListKeysQuery } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';
import { renderKeys } from './render-keys.js';

export interface CreateKeyOptions {
  readonly label: string;
  /** ISO time; the server chooses one if it is missing. */
  readonly expires?: string;
  readonly right?: readonly string[];
  readonly tenant?: readonly string[];
}

/** `phaseline keys create PRINCIPAL`: prints the new key alone on standard output, and what it is on standard error. */
export async function createKey(
  context: CommandContext,
  principal: string,
  { label, expires, right, tenant }: CreateKeyOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const created = await client.keys.create(
    {
      ...{ principal, label },
      ...(expires === undefined ? {} : { expiresAt: expires }),
      ...(right === undefined ? {} : { rights: [...right] }),
      ...(tenant === undefined ? {} : { tenants: [...tenant] }),
    },
    { signal },
  );
  if (out.isStructured) out.writeDocument(created);
  else {
    out.writeMessage(
      toPrintable(
        `Key ${created.prefix} of ${principal}, until ${created.expiresAt ?? 'it is revoked'}. It is not shown again:`,
      ),
    );
    out.writeLines(created.key);
  }
  return exitCode.ok;
}

/** `phaseline keys list` */
export async function listKeys(context: CommandContext, query: Partial<ListKeysQuery>): Promise<ExitCode> {
  const { out, signal } = context;
  const list = await (await connect(context)).keys.list(query, { signal });
  if (out.isStructured) out.writeDocument({ items: list });
  else out.writeLines(...renderKeys(list, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline keys revoke PREFIX` */
export async function revokeKey(
  context: CommandContext,
  prefix: string,
  { reason }: { readonly reason: string },
): Promise<ExitCode> {
  const { out, signal } = context;
  const revoked = await (await connect(context)).keys.revoke(prefix, { reason }, { signal });
  if (out.isStructured) out.writeDocument(revoked);
  else
    out.writeLines(toPrintable(`Revoked the key ${prefix} of ${revoked.principal}. It is refused within 2 seconds.`));
  return exitCode.ok;
}
