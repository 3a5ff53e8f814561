import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobSummary, PhaselineClient, WorkspaceFile } from '@phaseline/client';
import { contentHash } from '@phaseline/event-store';
import { pullFiles } from '../file/pull-files.js';

export interface Deliverables {
  /** The folder that holds the files of the job on this machine. */
  readonly folder: string;
  /** The folder is the mirror. False: it does not hold the files (a full disk, say), so they were pulled out of the log. */
  readonly mirrored: boolean;
  /** Those that the agent was to deliver, with where they lie on this machine. */
  readonly files: readonly { readonly path: string; readonly localPath: string; readonly size: number }[];
  /** Of `output/requirements.json`, where there is one. */
  readonly requirements?: { readonly localPath: string; readonly count: number };
}

const REQUIREMENTS = 'output/requirements.json';
/** The mirror follows the log by milliseconds; after this long something keeps it from doing so. */
const MIRROR_MS = 5_000;
const LOOK_EVERY_MS = 50;

/**
 * Finds what a job delivered in the mirror, byte for byte as the log has it; what the mirror does not hold in time is pulled
 * into a folder of the local home.
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
  const named = new Set(job.result?.deliverables ?? []);
  // A job that failed has no result, but may have got as far as some output.
  const wanted = all.filter(({ path }) => (named.size > 0 ? named.has(path) : path.startsWith('output/')));
  const mirror = join(at.workspaceRoot, `job_${job.jobId}`);
  const mirrored = await isMirrored(mirror, wanted, { ...at, mirrorMs: at.mirrorMs ?? MIRROR_MS });
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
  if (!requirements) return { folder, mirrored, files };
  const count = countRequirements(await readFile(requirements.localPath, 'utf8'));
  return {
    folder,
    mirrored,
    files,
    ...(count === undefined ? {} : { requirements: { localPath: requirements.localPath, count } }),
  };
}

/** A list, or an object with a list named `requirements`; undefined for anything else. */
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
    await sleep(LOOK_EVERY_MS, undefined, { signal: wait.signal });
  }
}

async function hasContent(path: string, hash: string): Promise<boolean> {
  const content = await readFile(path).catch(() => undefined);
  return content !== undefined && contentHash(content) === hash;
}
