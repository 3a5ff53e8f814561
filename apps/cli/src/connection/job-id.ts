import { AmbiguousJob, NoSuchJob, UsageError } from '../command/command-errors.js';
import { printable } from '../output/printable.js';

const FULL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PREFIX = /^[0-9a-f][0-9a-f-]{0,35}$/;

/** So many candidates are named when a prefix is not unique; one more has to be looked for to know that there are more. */
export const SHOWN_CANDIDATES = 5;

/**
 * What somebody wrote to name a job: a whole id, the beginning of one, or the name of its folder or stream (`job_<id>`,
 * `job-<id>`). Throws UsageError.
 */
export function readJobId(given: string): { readonly text: string; readonly whole: boolean } {
  const text = given
    .trim()
    .toLowerCase()
    .replace(/^job[-_]/, '');
  if (FULL_ID.test(text)) return { text, whole: true };
  if (PREFIX.test(text)) return { text, whole: false };
  throw new UsageError(
    `"${printable(given)}" is not a job id. Give an id, or the beginning of one, as \`phaseline list\` shows it.`,
  );
}

/** The only one of the jobs whose ids begin with `prefix`. `where` says in which place they were looked for. Throws NoSuchJob, AmbiguousJob. */
export function onlyJob(
  prefix: string,
  found: readonly { readonly jobId: string; readonly status?: string }[],
  where: string,
): string {
  const [first] = found;
  if (first === undefined)
    throw new NoSuchJob(`No job ${where} has an id that begins with "${prefix}". \`phaseline list\` shows them.`);
  if (found.length === 1) return first.jobId;
  const shown = found.slice(0, SHOWN_CANDIDATES).map(({ jobId, status }) => `  ${jobId}  ${status ?? ''}`.trimEnd());
  if (found.length > SHOWN_CANDIDATES) shown.push('  and more');
  throw new AmbiguousJob(
    [`Several jobs have ids that begin with "${prefix}". Give more of the id:`, ...shown].join('\n'),
  );
}
