import { cacheSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import type { OpenCache } from './cache-options.js';
import type { ClaimRecord } from './requirement-cache.js';
import { parseNote, type ParsedNote } from './parse-note.js';

/** Maximum claims per report; equals the number of requirements that the cache accepts from one file. */
const MAX_RECORDS = 5_000;

/** Tool that writes the outcomes of a job's claims to a JSON file and returns the totals. */
export function writeClaimReport(open: OpenCache): ToolRun<typeof cacheSpec, 'write_claim_report'> {
  return async (context, { path }) => {
    const { cache, call } = await open(context);
    const records = await cache.listClaims(call, MAX_RECORDS + 1);
    const shown = records.slice(0, MAX_RECORDS).map((record) => ({ ...record, ...parseNote(record.note) }));
    const figures = countOutcomes(shown);
    const report = { jobId: context.jobId, figures, requirements: shown };
    return {
      content: [
        `Wrote ${shown.length} claims to ${path}.`,
        ...Object.entries(figures).map(([name, count]) => `- ${name}: ${count}`),
        ...(records.length > MAX_RECORDS ? [`It contains only the first ${MAX_RECORDS} claims.`] : []),
      ].join('\n'),
      files: [{ path, content: Buffer.from(`${JSON.stringify(report, null, 2)}\n`) }],
    };
  };
}

function countOutcomes(records: readonly (ClaimRecord & ParsedNote)[]): Readonly<Record<string, number>> {
  const count = (matches: (record: ClaimRecord & ParsedNote) => boolean): number => records.filter(matches).length;
  const integrated = records.filter(({ resolution }) => resolution === 'integrated');
  return {
    claims: records.length,
    integrated: integrated.length,
    duplicates: count(({ resolution }) => resolution === 'duplicate'),
    rejected: count(({ resolution }) => resolution === 'rejected'),
    unresolved: count(({ resolution, outcome }) => resolution === undefined && outcome === 'done'),
    failed: count(({ outcome, resolution }) => outcome === 'failed' && resolution === undefined),
    released: count(({ outcome }) => outcome === 'release'),
    'lease expired': count(({ outcome }) => outcome === 'expired'),
    'still held': count(({ outcome }) => outcome === 'held'),
    fulfilled: integrated.filter(({ fulfillment }) => fulfillment === 'fulfilled').length,
    'not fulfilled': integrated.filter(({ fulfillment }) => fulfillment === 'not fulfilled').length,
    undecided: integrated.filter(({ fulfillment }) => fulfillment === undefined || fulfillment === 'undecided').length,
  };
}
