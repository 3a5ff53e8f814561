import { verifierFile } from './export-log.js';

/** A problem with an event, with a seal, or with a file of an export. */
export interface ExportProblem {
  readonly kind: string;
  readonly detail: string;
  readonly streamId?: string;
  readonly version?: number;
  readonly seal?: number;
}

export interface ExportReport {
  readonly holds: boolean;
  readonly events: number;
  readonly streams: number;
  readonly seals: number;
  /** The keys that signed the manifest and the seals. */
  readonly keyIds: readonly string[];
  /** The first 1,000; `problemCount` counts all. */
  readonly problems: readonly ExportProblem[];
  readonly problemCount: number;
}

export interface VerifyExportOptions {
  /** Trusted public keys (PEM). */
  readonly keys?: readonly string[];
  /** Receipts, parsed. */
  readonly receipts?: readonly unknown[];
  readonly onProgress?: (events: number, total: number) => void;
}

/**
 * Checks an export with this installation's own copy of the verifier, never with the one in the export, which could have been
 * changed with it. Throws the errors of the file system.
 */
export async function verifyExport(folder: string, options: VerifyExportOptions = {}): Promise<ExportReport> {
  const verifier = (await import(verifierFile.href)) as {
    verifyExport(folder: string, options: VerifyExportOptions): Promise<ExportReport>;
  };
  return verifier.verifyExport(folder, options);
}
