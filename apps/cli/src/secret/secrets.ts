import { text as readAll } from 'node:stream/consumers';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { describeHosts, describeSecret, renderSecrets } from './render-secrets.js';
import { readHidden } from './read-hidden.js';

export interface SecretOptions {
  readonly tenant?: string;
  /** The only agent that may use the secret. */
  readonly agent?: string;
}

export interface SetSecretOptions extends SecretOptions {
  /** Hosts to which repositories may send the secret. */
  readonly repositoryHost?: readonly string[];
}

/**
 * `phaseline secrets set NAME`: stores a secret. The value comes from standard input, or from a prompt that does not show it; it is never an
 * argument, because other users can read command lines.
 */
export async function setSecret(context: CommandContext, name: string, options: SetSecretOptions): Promise<ExitCode> {
  const { out, signal, input } = context;
  const isTerminal = (input as NodeJS.ReadStream).isTTY === true;
  const value = isTerminal
    ? await readHidden(input as NodeJS.ReadStream, (text) => out.writeMessage(text), `Value of ${name} (not shown):`)
    : (await readAll(input)).replace(/\r?\n$/, '');
  const { repositoryHost: repositoryHosts, ...scope } = options;
  const request = { ...scope, value, ...(repositoryHosts ? { repositoryHosts: [...repositoryHosts] } : {}) };
  const stored = await (await connect(context)).secrets.store(name, request, { signal });
  if (out.isStructured) out.writeDocument(stored);
  else out.writeLines(`Stored ${describeSecret(stored)}${describeHosts(stored)}.`);
  return exitCode.ok;
}

/** `phaseline secrets`: lists the secrets of a tenant, without their values. */
export async function listSecrets(context: CommandContext, { tenant }: SecretOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const list = await (await connect(context)).secrets.list({ tenant }, { signal });
  if (out.isStructured) out.writeDocument({ items: list });
  else out.writeLines(...renderSecrets(list, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}

/** `phaseline secrets remove NAME`: removes a secret. */
export async function removeSecret(context: CommandContext, name: string, options: SecretOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { tenant = options.tenant ?? 'default' } = await (
    await connect(context)
  ).secrets.remove(name, options, { signal });
  if (out.isStructured) out.writeDocument({ removed: true, tenant });
  else out.writeLines(`Removed ${describeSecret({ ...options, tenant, name })}.`);
  return exitCode.ok;
}
