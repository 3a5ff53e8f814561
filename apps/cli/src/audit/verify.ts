import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Anchor, AuditReport } from '@phaseline/audit';
import { openColdStorage } from '@phaseline/event-store';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { startProgress } from '../output/start-progress.js';
import { openLogDatabase } from './open-log-database.js';
import { renderAuditProgress, renderClaimsProgress, renderFilesProgress, renderAudit } from './render-audit.js';
import { verifyLog, type VerifyLogOptions } from './verify-log.js';

export interface VerifyOptions {
  readonly job?: string;
  readonly export?: string;
  /** Files that hold public keys. */
  readonly key?: readonly string[];
  /** Files or folders that hold receipts. */
  readonly receipt?: readonly string[];
  /** False skips the content of files and long texts. */
  readonly files?: boolean;
  /** Whether every accepted claim is derived again. */
  readonly claims?: boolean;
}

type Progress = Pick<VerifyLogOptions, 'onProgress' | 'onFiles' | 'onClaims'>;

/** `phaseline audit verify`: verifies the log, or an export of it. Exit code 1 if it is not what was written. */
export async function verify(context: CommandContext, options: VerifyOptions): Promise<ExitCode> {
  const { out } = context;
  if (options.export !== undefined && options.job !== undefined)
    throw new UsageError('An export is verified as a whole: give --export or --job, not both.');
  const shown = startProgress(context);
  const progress: Progress = shown.isShown
    ? {
        onProgress: (done, total) => shown.report(renderAuditProgress(done, total)),
        onFiles: (files, bytes) => shown.report(renderFilesProgress(files, bytes)),
        onClaims: (jobs, claims) => shown.report(renderClaimsProgress(jobs, claims)),
      }
    : {};
  const check = options.export === undefined ? checkLog : checkExport;
  const { name, report } = await check(context, options, progress).finally(() => shown.end());
  if (out.isStructured) out.writeDocument({ ...name, ...report });
  else out.writeLines(...renderAudit(report, out.paint));
  return report.passed ? exitCode.ok : exitCode.failed;
}

interface CheckedLog {
  readonly name: Readonly<Record<string, string>>;
  readonly report: AuditReport;
}

async function checkLog(context: CommandContext, options: VerifyOptions, progress: Progress): Promise<CheckedLog> {
  const receipts = await readReceiptFiles(context, options);
  const trustedKeyIds = options.key && (await readKeyIds(context, options.key));
  const database = await openLogDatabase(context);
  try {
    const report = await verifyLog(database.url, {
      job: options.job,
      cold: openColdStorage(context.env),
      receipts,
      trustedKeyIds,
      withFiles: options.files !== false,
      withClaims: options.claims === true,
      signal: context.signal,
      ...progress,
    });
    return { name: { database: database.name }, report };
  } finally {
    await database.close();
  }
}

async function checkExport(context: CommandContext, options: VerifyOptions, progress: Progress): Promise<CheckedLog> {
  const { addClaims, verifyExport, verifyExportedClaims } = await import('@phaseline/audit');
  const receipts = await readReceiptFiles(context, options);
  await readKeyIds(context, options.key ?? []);
  const folder = resolve(context.currentDirectory, options.export!);
  const report = await verifyExport(folder, {
    keys: await readTexts(context, options.key),
    receipts: receipts.map((anchor) => ({ anchor })),
    files: options.files !== false,
    ...progress,
  });
  if (!options.claims) return { name: { export: folder }, report };
  const { onClaims } = progress;
  const claims = await verifyExportedClaims(folder, {
    signal: context.signal,
    onProgress: ({ jobs, claims: count }) => onClaims?.(jobs, count),
  });
  return { name: { export: folder }, report: addClaims(report, claims) };
}

async function readKeyIds(context: CommandContext, paths: readonly string[]): Promise<string[]> {
  const { readPublicKey } = await import('@phaseline/audit');
  const keys = await Promise.all(paths.map((path) => readPublicKey(resolve(context.currentDirectory, path))));
  return keys.map(({ keyId }) => keyId);
}

/** Reads the given receipts, or by default those in PHASELINE_AUDIT_RECEIPTS_DIR. */
async function readReceiptFiles({ currentDirectory, env }: CommandContext, options: VerifyOptions): Promise<Anchor[]> {
  const { readReceipts } = await import('@phaseline/audit');
  const own = env.PHASELINE_AUDIT_RECEIPTS_DIR?.trim();
  const paths = options.receipt ?? (own && options.job === undefined ? [own] : []);
  return (await Promise.all(paths.map((path) => readReceipts(resolve(currentDirectory, path))))).flat();
}

function readTexts({ currentDirectory }: CommandContext, paths: readonly string[] = []): Promise<string[]> {
  return Promise.all(paths.map((path) => readFile(resolve(currentDirectory, path), 'utf8')));
}
