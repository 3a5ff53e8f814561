import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';

/** `phaseline login`: prints a link that signs the caller in with a browser, once. */
export async function login(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const { url, principal, expiresAt } = await (await connect(context)).createLoginLink({ signal });
  if (out.isStructured) out.writeDocument({ url, principal, expiresAt });
  else {
    out.writeMessage(`Open this link to sign in as ${toPrintable(principal)}. It works once, until ${expiresAt}:`);
    out.writeLines(url);
  }
  return exitCode.ok;
}
