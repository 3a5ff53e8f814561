import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { LiveArea } from '../output/live-area.js';
import { logDatabase } from './log-database.js';
import { auditProgress, renderAudit } from './render-audit.js';
import { verifyLog } from './verify-log.js';

export interface VerifyOptions {
  readonly job?: string;
}

/** A check that is done before needs no bar. */
const SHOW_AFTER_MS = 2_000;

/** `phaseline audit verify`: exit code 1 when the log is not what was written. */
export async function verify(context: CommandContext, { job }: VerifyOptions): Promise<ExitCode> {
  const { out, signal, now } = context;
  const database = await logDatabase(context);
  try {
    const live = out.isTerminal && !out.json ? new LiveArea(out) : undefined;
    const began = now();
    const onProgress = (done: number, total: number): void => {
      if (now() - began >= SHOW_AFTER_MS) live?.draw([auditProgress(done, total)]);
    };
    const report = await verifyLog(database.url, { job, signal, ...(live ? { onProgress } : {}) }).finally(() =>
      live?.erase(),
    );
    if (out.json) out.document({ database: database.name, ...report });
    else out.lines(...renderAudit(report, out.paint));
    return report.holds ? exitCode.ok : exitCode.failed;
  } finally {
    await database.close();
  }
}
