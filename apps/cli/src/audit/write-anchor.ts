import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { NothingToAnchor } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { loadAuditKey } from './load-audit-key.js';
import { withLogPool } from './with-log-pool.js';

export interface AnchorOptions {
  readonly out?: string;
}

/** `phaseline audit anchor`: writes anchors that cover the new events of the log, and a receipt of the last one to keep elsewhere. */
export async function writeAnchor(context: CommandContext, options: AnchorOptions): Promise<ExitCode> {
  const audit = await import('@phaseline/audit');
  const { out, signal, now } = context;
  const { key } = await loadAuditKey(context);
  return withLogPool(context, 'phaseline-audit', async (pool) => {
    const written = await audit.createAnchors(pool, key, { now: () => new Date(now()), signal });
    const folder = context.env.PHASELINE_AUDIT_RECEIPTS_DIR?.trim();
    if (folder) await audit.storeReceipts(pool, resolve(context.currentDirectory, folder));
    const last = written.at(-1) ?? (await audit.readLastAnchor(pool));
    if (!last) throw new NothingToAnchor('The log holds no events that an anchor could cover.');
    const signer = (await audit.readPublishedKeys(pool)).find(({ keyId }) => keyId === last.keyId) ?? key;
    if (options.out !== undefined) {
      const receipt = `${JSON.stringify(audit.createReceipt(last, signer), null, 2)}\n`;
      await writeFile(resolve(context.currentDirectory, options.out), receipt);
    }
    if (out.isStructured) out.writeDocument({ written: written.length, anchor: last, receipt: options.out });
    else {
      const covered = `${pluralise(last.events, 'event')} in ${pluralise(last.streams, 'stream')}`;
      out.writeLines(
        written.length > 0 ? `anchor ${last.number} written` : `no new events since anchor ${last.number}`,
        `  covers  ${covered}, up to ${last.anchoredAt}`,
        `  hash    ${last.hash}`,
        `  key     ${last.keyId}`,
      );
      if (options.out !== undefined)
        out.writeLines(`  receipt ${options.out}: keep it where administrators of this database cannot change it`);
    }
    return exitCode.ok;
  });
}
