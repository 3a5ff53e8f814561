import type { Plan, ScheduleFormat } from '@phaseline/client';
import {
  planContextSchema,
  planOutlineSchema,
  renderCalendarFile,
  renderGantt,
  renderScheduleTable,
  roadmapSchema,
  scheduleSchema,
} from '@phaseline/planning';
import { ApiProblem } from '../problem/api-problem.js';

/** Writes the schedule of a plan in one of its formats. `stamp`: when the file is made. */
type RenderPlan = (plan: ReturnType<typeof parsePlan>, stamp: Date) => string;

const formats = {
  ics: { mediaType: 'text/calendar; charset=utf-8', render: renderCalendar },
  csv: { mediaType: 'text/csv; charset=utf-8', render: renderScheduleTable },
  svg: { mediaType: 'image/svg+xml; charset=utf-8', render: renderGantt },
} as const satisfies Readonly<Record<ScheduleFormat, { readonly mediaType: string; readonly render: RenderPlan }>>;

/** A schedule as a file that people download. */
export interface ScheduleFile {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Renders the schedule of a plan as a file. The texts in it are those of a model, so its headers prevent every browser from running anything that
 * the file contains. Throws ApiProblem `plan_has_no_schedule`.
 */
export function renderSchedule(plan: Plan, format: ScheduleFormat, stamp: Date): ScheduleFile {
  const { planId, planningStatus, schedule } = plan;
  if (!schedule)
    throw new ApiProblem('plan_has_no_schedule', `Plan ${planId} has no schedule yet; it is ${planningStatus}.`);
  const { mediaType, render } = formats[format];
  return {
    text: render(parsePlan(plan), stamp),
    headers: {
      'content-type': mediaType,
      'content-disposition': `attachment; filename="plan-${planId}.${format}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      // The schedule of a plan changes until it is approved.
      'cache-control': 'private, no-store',
    },
  };
}

function renderCalendar(plan: ReturnType<typeof parsePlan>, stamp: Date): string {
  return renderCalendarFile({ ...plan, stamp });
}

function parsePlan({ planId, context, outline, roadmap, schedule }: Plan) {
  return {
    planId,
    context: planContextSchema.parse(context),
    outline: planOutlineSchema.parse(outline),
    roadmap: roadmapSchema.parse(roadmap),
    schedule: scheduleSchema.parse(schedule),
  };
}
