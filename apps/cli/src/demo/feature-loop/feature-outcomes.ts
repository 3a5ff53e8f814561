import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { z } from 'zod';
import type { Paint } from '../../output/paint.js';
import { toPrintable } from '../../output/printable.js';
import { pluralise } from '../../output/quantities.js';

/** The file in which the system keeps the features of a job. */
const FEATURE_LIST = 'feature-list.json';

/** What became of a feature. */
export interface FeatureOutcome {
  readonly id: string;
  readonly status: string;
  /** Number of attempts that failed. */
  readonly attempts: number;
  /** Why the last of them failed. */
  readonly reason?: string | undefined;
}

const listSchema = z.object({
  features: z.array(
    z.object({ id: z.string(), status: z.string(), attempts: z.number(), reason: z.string().optional() }),
  ),
});

/** Reads what became of the features of a job, in the order of their list; none if it ended before there was one. */
export async function readFeatureOutcomes(
  client: Pick<PhaselineClient, 'files' | 'readText'>,
  jobId: JobId,
  signal: AbortSignal,
): Promise<readonly FeatureOutcome[]> {
  const files = await client.files(jobId, { signal });
  if (!files.some(({ path }) => path === FEATURE_LIST)) return [];
  return listSchema.parse(JSON.parse(await client.readText(jobId, FEATURE_LIST, { signal }))).features;
}

/** One line per feature. */
export function renderFeatureOutcomes(features: readonly FeatureOutcome[], paint: Paint): string[] {
  return features.map(({ id, status, attempts, reason }) => {
    const mark = status === 'tested' ? paint.green('✓') : paint.red('✗');
    const failed = attempts === 0 ? '' : ` after ${pluralise(attempts, 'failed attempt')}`;
    const why = status === 'tested' || reason === undefined ? '' : `: ${toPrintable(reason)}`;
    return `${mark} ${paint.bold(toPrintable(id))} ${toPrintable(status)}${failed}${why}`;
  });
}
