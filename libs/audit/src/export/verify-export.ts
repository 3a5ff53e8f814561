import { verifierFile } from './export-log.js';

/** A problem with an event, with a seal, or with a file of an export. */
export interface ExportProblem {
  readonly kind: string;
  readonly detail: string;
  readonly streamId?: string;
  readonly version?: number;
  readonly seal?: number;
  readonly jobId?: string;
  /** Of a file that an event names. */
  readonly path?: string;
  readonly hash?: string;
}

export interface ExportReport {
  readonly holds: boolean;
  readonly events: number;
  readonly streams: number;
  readonly seals: number;
  /** Files whose content was hashed; absent where the export holds none, or that was not asked for. */
  readonly files?: number;
  readonly bytes?: number;
  /** The keys that signed the manifest and the seals. */
  readonly keyIds: readonly string[];
  /** What this run could not show, with what it takes. */
  readonly notChecked: readonly string[];
  /** The first 1,000; `problemCount` counts all. */
  readonly problems: readonly ExportProblem[];
  readonly problemCount: number;
}

export interface VerifyExportOptions {
  /** Trusted public keys (PEM). */
  readonly keys?: readonly string[];
  /** Receipts, parsed. */
  readonly receipts?: readonly unknown[];
  /** False: the content of files is not checked. */
  readonly files?: boolean;
  readonly onProgress?: (events: number, total: number) => void;
}

/**
 * Checks an export with this installation's own copy of the verifier, never with the one in the export, which could have been
 * changed with it.
 */
export async function verifyExport(folder: string, options: VerifyExportOptions = {}): Promise<ExportReport> {
  const verifier = (await import(verifierFile.href)) as {
    verifyExport(folder: string, options: VerifyExportOptions): Promise<ExportReport>;
  };
  return verifier.verifyExport(folder, options);
}
