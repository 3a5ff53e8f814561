import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import {
  planContextSchema,
  planOutlineSchema,
  planSessionSchema,
  renderCalendarFile,
  renderGantt,
  renderScheduleTable,
  roadmapSchema,
  scheduleSchema,
  type PlanSession,
} from '@phaseline/planning';

/** What is known about a plan, read from its files. */
export async function readPlanSession(
  client: PhaselineClient,
  planId: JobId,
  signal: AbortSignal,
): Promise<PlanSession> {
  return planSessionSchema.parse(JSON.parse(await client.readText(planId, 'plan/session.json', { signal })));
}

/** Writes the schedule of a plan as a picture, a calendar file and a table. Returns the paths. */
export async function writeSchedule(
  client: PhaselineClient,
  planId: JobId,
  { folder, stamp, signal }: { readonly folder: string; readonly stamp: Date; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const read = async (kind: string): Promise<unknown> =>
    JSON.parse(await client.readText(planId, `plan/${kind}.json`, { signal }));
  const plan = {
    planId,
    context: planContextSchema.parse(await read('context')),
    outline: planOutlineSchema.parse(await read('outline')),
    roadmap: roadmapSchema.parse(await read('roadmap')),
    schedule: scheduleSchema.parse(await read('schedule')),
    stamp,
  };
  const files: readonly (readonly [string, string])[] = [
    ['schedule.svg', renderGantt(plan)],
    ['schedule.ics', renderCalendarFile(plan)],
    ['schedule.csv', renderScheduleTable(plan)],
  ];
  await mkdir(folder, { recursive: true });
  return Promise.all(
    files.map(async ([name, text]) => {
      const path = join(folder, name);
      await writeFile(path, text);
      return path;
    }),
  );
}
