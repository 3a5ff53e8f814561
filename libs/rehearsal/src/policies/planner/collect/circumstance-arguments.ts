import type { JsonObject } from '@phaseline/basics';
import type { GoalReading } from '../reading/read-goal.js';
import type { PlanContext } from '../session.js';

/** Zone, days off and the spread of the work. Days off are added to those that are known, because the list replaces them. */
export function readCircumstanceArguments(
  { circumstances }: Pick<GoalReading, 'circumstances'>,
  context: PlanContext | undefined,
): JsonObject {
  const { zone, closedDays, loading, bufferShare } = circumstances;
  const known = context?.calendar.holidays.map(({ day }) => day) ?? [];
  const added = closedDays.filter((day) => !known.includes(day));
  return {
    ...(zone !== undefined && { zone }),
    ...(added.length > 0 && { holidays: [...known, ...added].map((day) => ({ day })) }),
    ...(loading !== undefined && { loading }),
    ...(bufferShare !== undefined && { buffer_share: bufferShare }),
  };
}
