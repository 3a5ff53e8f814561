import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobSummary, PhaselineClient, WorkspaceFile } from '@phaseline/client';
import { contentHash } from '@phaseline/event-store';
import { pullFiles } from '../file/pull-files.js';

export interface Deliverables {
  /** Local folder with the files of the job. */
  readonly folder: string;
  /**
   * True if the folder is the mirror. False if the mirror lacks files, for example on a full disk; they were then
   * pulled from the log.
   */
  readonly isMirrored: boolean;
  /** The deliverables of the agent, with their local paths. */
  readonly files: readonly { readonly path: string; readonly localPath: string; readonly size: number }[];
  /** Number of requirements in `output/requirements.json`, if that exists. */
  readonly requirements?: { readonly localPath: string; readonly count: number };
}

const REQUIREMENTS = 'output/requirements.json';
/** How long to wait for the mirror, which normally follows the log within milliseconds. */
const MIRROR_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 50;

/**
 * Finds the deliverables of a job in the mirror, with exactly the bytes of the log. If the mirror does not contain them in time, pulls
 * them into a folder of the local home.
 */
export async function collectDeliverables(
  client: Pick<PhaselineClient, 'files' | 'readFile'>,
  job: Pick<JobSummary, 'jobId' | 'result'>,
  at: {
    readonly workspaceRoot: string;
    readonly homeDirectory: string;
    readonly signal: AbortSignal;
    readonly mirrorMs?: number;
  },
): Promise<Deliverables> {
  const all = await client.files(job.jobId, { signal: at.signal });
  const deliverables = new Set(job.result?.deliverables ?? []);
  // A failed job has no result, but may have written some output.
  const wanted = all.filter(({ path }) =>
    deliverables.size > 0 ? deliverables.has(path) : path.startsWith('output/'),
  );
  const mirror = join(at.workspaceRoot, `job_${job.jobId}`);
  const mirrored = await isMirrored(mirror, wanted, { ...at, mirrorMs: at.mirrorMs ?? MIRROR_TIMEOUT_MS });
  const folder = mirrored ? mirror : join(at.homeDirectory, 'pulled', `job_${job.jobId}`);
  if (!mirrored) {
    await pullFiles(wanted, {
      folder,
      force: true,
      read: (path) => client.readFile(job.jobId, path, { signal: at.signal }),
      signal: at.signal,
    });
  }
  const files = wanted.map(({ path, size }) => ({ path, size, localPath: join(folder, path) }));
  const requirements = files.find(({ path }) => path === REQUIREMENTS);
  if (!requirements) return { folder, isMirrored: mirrored, files };
  const count = countRequirements(await readFile(requirements.localPath, 'utf8'));
  return {
    folder,
    isMirrored: mirrored,
    files,
    ...(count === undefined ? {} : { requirements: { localPath: requirements.localPath, count } }),
  };
}

/** Counts the items of a JSON list, or of the list `requirements` of a JSON object; undefined for anything else. */
export function countRequirements(text: string): number | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const items = Array.isArray(parsed) ? parsed : (parsed as { requirements?: unknown } | null)?.requirements;
    return Array.isArray(items) ? items.length : undefined;
  } catch {
    return undefined;
  }
}

async function isMirrored(
  folder: string,
  files: readonly WorkspaceFile[],
  wait: { readonly mirrorMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  for (const deadline = Date.now() + wait.mirrorMs; ;) {
    const same = await Promise.all(files.map((file) => hasContent(join(folder, file.path), file.hash)));
    if (same.every(Boolean)) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_INTERVAL_MS, undefined, { signal: wait.signal });
  }
}

async function hasContent(path: string, hash: string): Promise<boolean> {
  const content = await readFile(path).catch(() => undefined);
  return content !== undefined && contentHash(content) === hash;
}
