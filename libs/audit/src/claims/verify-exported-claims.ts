import { ClaimsTally, type ClaimsReport } from './claims-report.js';
import { deriveClaimsOfJob } from './derive-claims.js';
import { ExportSource } from './export-source.js';

export interface VerifyExportedClaimsOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after each job. */
  readonly onProgress?: ((progress: { readonly jobs: number; readonly claims: number }) => void) | undefined;
}

/**
 * Derives every accepted claim in an export again, without a database. It says nothing about whether the events are those that were
 * written: the audit checker does. Throws file system errors.
 */
export async function verifyExportedClaims(
  folder: string,
  { signal, onProgress }: VerifyExportedClaimsOptions = {},
): Promise<ClaimsReport> {
  const source = await ExportSource.open(folder);
  try {
    const tally = new ClaimsTally();
    // Without the files, no claim that reads one can be derived.
    if (!(await source.hasFiles())) {
      tally.note('exports without files (export again with --with-files)');
      return tally.getReport();
    }
    let jobs = 0;
    for (const jobId of source.listJobs()) {
      signal?.throwIfAborted();
      await deriveClaimsOfJob(source, jobId, tally);
      jobs += 1;
      onProgress?.({ jobs, claims: tally.count });
    }
    return tally.getReport();
  } finally {
    await source.close();
  }
}
