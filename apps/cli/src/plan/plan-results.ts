import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '@phaseline/client';
import {
  planContextSchema,
  planOutlineSchema,
  renderCalendarFile,
  renderGantt,
  renderScheduleTable,
  roadmapSchema,
  scheduleSchema,
} from '@phaseline/planning';

/** Writes the schedule of a plan as a picture, a calendar file and a table. Returns the paths; none if there is no schedule. */
export async function writeSchedule(
  { planId, context, outline, roadmap, schedule }: Plan,
  folder: string,
  stamp: Date,
): Promise<readonly string[]> {
  if (!schedule) return [];
  const exported = {
    ...{ planId, stamp },
    context: planContextSchema.parse(context),
    outline: planOutlineSchema.parse(outline),
    roadmap: roadmapSchema.parse(roadmap),
    schedule: scheduleSchema.parse(schedule),
  };
  const files: readonly (readonly [string, string])[] = [
    ['schedule.svg', renderGantt(exported)],
    ['schedule.ics', renderCalendarFile(exported)],
    ['schedule.csv', renderScheduleTable(exported)],
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
