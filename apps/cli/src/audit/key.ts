import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { loadAuditKey } from './load-audit-key.js';

export interface KeyOptions {
  readonly out?: string;
}

/** `phaseline audit key`: prints the public key of the key that signs anchors on this machine. Keep a copy elsewhere. */
export async function showKey({ out, ...context }: CommandContext, options: KeyOptions): Promise<ExitCode> {
  const { key, path } = await loadAuditKey(context);
  if (options.out !== undefined) await writeFile(resolve(context.currentDirectory, options.out), key.pem);
  if (out.isStructured) out.writeDocument({ keyId: key.keyId, publicKey: key.pem, privateKeyFile: path });
  else {
    out.writeLines(`key id ${key.keyId}`, `private key: ${path}`);
    if (options.out === undefined) out.write(key.pem);
    else out.writeLines(`public key: ${options.out}`);
  }
  return exitCode.ok;
}
