import type { JobId, StreamId } from '@phaseline/contracts';
import { auditCheckerUrl } from './export-log.js';

/** A problem with an event, an anchor, or a file of an export. */
export interface ExportProblem {
  readonly kind: string;
  readonly detail: string;
  readonly streamId?: StreamId;
  readonly version?: number;
  readonly anchor?: number;
  readonly jobId?: JobId;
  /** Path of a file that an event refers to. */
  readonly path?: string;
  readonly hash?: string;
}

export interface ExportReport {
  readonly passed: boolean;
  readonly events: number;
  readonly streams: number;
  readonly anchors: number;
  /** Number of files whose content was hashed; absent if the export contains none or the check was disabled. */
  readonly files?: number;
  readonly bytes?: number;
  /** Ids of the keys that signed the manifest and the anchors. */
  readonly keyIds: readonly string[];
  /** What this run did not check, and how to check it. */
  readonly notChecked: readonly string[];
  /** The first 1,000 problems; `problemCount` counts all of them. */
  readonly problems: readonly ExportProblem[];
  readonly problemCount: number;
}

export interface VerifyExportOptions {
  /** Trusted public keys (PEM). */
  readonly keys?: readonly string[];
  /** Parsed receipts. */
  readonly receipts?: readonly unknown[];
  /** Whether to check the content of files; default true. */
  readonly files?: boolean;
  readonly onProgress?: (events: number, total: number) => void;
}

/**
 * Verifies an export with the audit checker of this installation. The copy in the export is never run: it could have been changed
 * together with the export.
 */
export async function verifyExport(folder: string, options: VerifyExportOptions = {}): Promise<ExportReport> {
  const checker = (await import(auditCheckerUrl.href)) as {
    verifyExport(folder: string, options: VerifyExportOptions): Promise<ExportReport>;
  };
  return checker.verifyExport(folder, options);
}
