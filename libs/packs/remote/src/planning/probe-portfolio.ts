import { clip, isBlankText } from '@phaseline/basics';
import type { schedulingSpec } from '@phaseline/pack-specs';
import {
  buildCalendarSpec,
  buildWindow,
  describePortfolioConflict,
  findPortfolioConflicts,
  formatInstant,
  listOwnWork,
  listWork,
  MAX_BUSY_TIMES,
  measureUtilisation,
  type PlanContext,
  planPaths,
  type Portfolio,
  type PortfolioTask,
  scheduleSchema,
  suggestShifts,
  WorkingCalendar,
} from '@phaseline/planning';
import type { RemoteToolContext, ToolOutcome, ToolRun } from '@phaseline/tools';
import { readText, type WorkspaceReader } from '@phaseline/workspace';
import { hashArtifact, readContext, readOutline, readRoadmap, readTakenTime } from './plan-input.js';
import type { PortfolioHost } from './portfolio-host.js';
import { buildAnswer, writeJson } from './write-answer.js';

/** Bounds of an answer: conflicts, and days and weeks of the utilisation, the first ones. */
const MAX_CONFLICTS = 20;
const MAX_DAYS = 92;
const MAX_WEEKS = 105;
const MAX_TITLE_CHARACTERS = 200;

/** Reads the other plans of the person, compares them with the schedule if there is one, and stores their busy times. */
export function runPortfolioProbe(host: PortfolioHost): ToolRun<typeof schedulingSpec, 'portfolio_probe'> {
  return (context, { confidence = 1 }) => probe(host, context, confidence);
}

/** Does the same when the schedule was approved; only the system calls it. */
export function runPortfolioRecheck(host: PortfolioHost): ToolRun<typeof schedulingSpec, 'portfolio_recheck'> {
  return (context) => probe(host, context, 1);
}

async function probe(
  host: PortfolioHost,
  { workspace, jobId }: RemoteToolContext,
  confidence: number,
): Promise<ToolOutcome> {
  const context = await readContext(workspace);
  const calendar = new WorkingCalendar(buildCalendarSpec(context));
  const window = buildWindow(context, calendar);
  const tasks = await host.listOtherTasks(jobId, new Date(formatInstant(window.start)));
  const others = listWork(tasks.map(boundTask), calendar, window).slice(0, MAX_BUSY_TIMES);
  const own = await findOwnWork(workspace, context, window, jobId);
  const portfolios = { own, others, calendar, capacity: context.capacity };
  const conflicts = findPortfolioConflicts(portfolios);
  const { days, weeks } = measureUtilisation([...own, ...others], calendar, context.capacity);
  const portfolio: Portfolio = {
    version: hashArtifact({ tasks }),
    busy: others.map(({ start, end, ...work }) => ({ ...work, start: formatInstant(start), end: formatInstant(end) })),
  };
  const texts = conflicts.slice(0, MAX_CONFLICTS).map((conflict) => describePortfolioConflict(conflict, context.zone));
  const plans = new Set(tasks.map(({ plan }) => plan)).size;
  const data = {
    conflicts: conflicts.slice(0, MAX_CONFLICTS),
    utilisation: { days: days.slice(0, MAX_DAYS), weeks: weeks.slice(0, MAX_WEEKS) },
    suggestedShifts: suggestShifts(portfolios, window),
    portfolioVersion: portfolio.version,
  };
  const explanations = [`${plans} other approved plans, ${conflicts.length} conflicts.`, ...texts.slice(0, 5)];
  const { answer, result, files } = buildAnswer({ confidence, explanations, data }, [
    writeJson(planPaths.portfolio, portfolio),
  ]);
  const read = { portfolio_version: portfolio.version, conflicts: texts };
  return { content: JSON.stringify(answer), result: { ...result, ...read }, files };
}

/** Titles of rows may be those of another release. */
function boundTask(task: PortfolioTask): PortfolioTask {
  const title = clip(task.title.toWellFormed(), MAX_TITLE_CHARACTERS - 1);
  return { ...task, title: isBlankText(title) ? task.task : title };
}

/** The work of the schedule, if it was made from the present roadmap. */
async function findOwnWork(
  workspace: WorkspaceReader,
  context: PlanContext,
  window: ReturnType<typeof buildWindow>,
  plan: string,
): Promise<ReturnType<typeof listOwnWork>> {
  if (!workspace.tree[planPaths.schedule] || !workspace.tree[planPaths.roadmap]) return [];
  const [outline, roadmap, taken] = await Promise.all([
    readOutline(workspace),
    readRoadmap(workspace),
    readTakenTime(workspace),
  ]);
  const schedule = scheduleSchema.parse(JSON.parse(await readText(workspace, planPaths.schedule)));
  const belongs = schedule.roadmapHash === hashArtifact(roadmap) && roadmap.outlineHash === hashArtifact(outline);
  return belongs ? listOwnWork({ context, outline, roadmap, taken, schedule, plan }, window) : [];
}
