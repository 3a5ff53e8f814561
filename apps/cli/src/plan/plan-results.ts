import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PhaselineClient, ScheduleFormat } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';

const formats: readonly ScheduleFormat[] = ['svg', 'ics', 'csv'];

/**
 * Writes the schedule of a plan into a folder as a picture, a calendar file and a table. Returns the paths. Throws PhaselineClientError
 * `plan_has_no_schedule`.
 */
export async function writeSchedule(
  client: PhaselineClient,
  planId: JobId,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  // All formats are read first, so that a failure leaves no incomplete folder.
  const files = await Promise.all(
    formats.map(async (format) => {
      const path = join(folder, `schedule.${format}`);
      return { path, text: await client.planSchedule(planId, format, { signal }) };
    }),
  );
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ path, text }) => writeFile(path, text)));
  return files.map(({ path }) => path);
}
