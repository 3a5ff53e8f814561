import { setTimeout as sleep } from 'node:timers/promises';
import type { Verification } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { findJob } from '../connection/find-job.js';
import { startProgress } from '../output/start-progress.js';
import { toPrintable } from '../output/printable.js';
import { formatBytes, formatCount, pluralise } from '../output/quantities.js';
import { renderAudit, renderAuditProgress } from './render-audit.js';

export interface VerifyOnServerOptions {
  readonly job?: string;
  /** False skips the content of files and long texts. */
  readonly files?: boolean;
  /** False skips deriving every accepted claim again. */
  readonly claims?: boolean;
}

/** Interval in milliseconds between requests. */
const POLL_MS = 500;

/** `phaseline audit check`: lets the server verify the log, or one job. Exit code 1 if it is not what was written. */
export async function verifyOnServer(
  context: CommandContext,
  { job, files = true, claims = true }: VerifyOnServerOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const jobId = job === undefined ? undefined : await findJob(client, job, signal);
  const progress = startProgress(context);
  let run = await client.audit.startVerification(
    { files, claims, ...(jobId === undefined ? {} : { jobId }) },
    { signal },
  );
  try {
    while (run.status === 'running') {
      progress.report(describeProgress(run));
      await sleep(POLL_MS, undefined, { signal });
      run = await client.audit.verification(run.id, { signal });
    }
  } finally {
    progress.end();
  }
  if (out.isStructured) out.writeDocument(run);
  else if (run.report) out.writeLines(...renderAudit(run.report, out.paint));
  else out.writeMessage(`The verification ${run.status}: ${toPrintable(run.failure ?? 'the server was stopped')}.`);
  return run.report?.passed ? exitCode.ok : exitCode.failed;
}

/** The phase of the verification that runs: events, then files, then claims. */
function describeProgress({ progress: { events, totalEvents, files, bytes, claims } }: Verification): string {
  if (claims > 0) return `${pluralise(claims, 'claim')} derived; the server continues after Ctrl-C`;
  if (files > 0) return `${formatCount(files)} files, ${formatBytes(bytes)} checked; the server continues after Ctrl-C`;
  return renderAuditProgress(events, totalEvents);
}
