import type { JobId } from '@phaseline/contracts';
import { AmbiguousJob, NoSuchJob, UsageError } from '../command/command-errors.js';
import { toPrintable } from '../output/printable.js';

const FULL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PREFIX = /^[0-9a-f][0-9a-f-]{0,35}$/;

/** Number of candidates named if a prefix is ambiguous. Searches look for one more, to know whether there are more. */
export const MAX_CANDIDATES_SHOWN = 5;

/**
 * Parses how a user names a job: a full id, a prefix of one, or the name of its folder or stream (`job_<id>`, `job-<id>`).
 * Throws UsageError.
 */
export function readJobId(given: string): { readonly text: string; readonly whole: boolean } {
  const text = given
    .trim()
    .toLowerCase()
    .replace(/^job[-_]/, '');
  if (FULL_ID.test(text)) return { text, whole: true };
  if (PREFIX.test(text)) return { text, whole: false };
  throw new UsageError(
    `"${toPrintable(given)}" is not a job id. Give an id from \`phaseline list\`, or a unique prefix of it.`,
  );
}

/** Returns the only job found for `prefix`. `scope` says where the search took place. Throws NoSuchJob, AmbiguousJob. */
export function requireSingleJob(
  prefix: string,
  found: readonly { readonly jobId: JobId; readonly status?: string }[],
  scope: string,
): JobId {
  const [first] = found;
  if (first === undefined)
    throw new NoSuchJob(`No job ${scope} has an id that starts with "${prefix}". \`phaseline list\` shows the jobs.`);
  if (found.length === 1) return first.jobId;
  const shown = found
    .slice(0, MAX_CANDIDATES_SHOWN)
    .map(({ jobId, status }) => `  ${jobId}  ${status ?? ''}`.trimEnd());
  if (found.length > MAX_CANDIDATES_SHOWN) shown.push('  and more');
  throw new AmbiguousJob([`Several job ids start with "${prefix}". Give more of the id:`, ...shown].join('\n'));
}
