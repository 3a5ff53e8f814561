import { addDays } from '../reading/days.js';
import type { MeasureReading } from '../reading/read-measure.js';
import type { PlanNode } from '../session.js';
import { planCycle } from './build-cycle.js';
import { assumeWork, buildNode, countParts, fitWork, type Draft } from './draft.js';
import { countFreeMinutes, countPlanDays, divideWork, findDayAt, type PlanFrame } from './plan-frame.js';
import type { PlanSessions } from './plan-sessions.js';
import { estimateQuantity } from '../work-rates.js';

/** Days beyond which an arc has one more target. */
const TARGET_LIMITS = [14, 60, 200, 400];
const MIN_TARGETS = 2;
const MAX_TARGETS = 12;
const CHECK_MINUTES = 15;
const ROOM_PER_DAY = 15;
/** Work per week in minutes if no quantity of work follows from the measure. */
const MINUTES_PER_WEEK = 30;
/** Work that exceeds the sessions by this factor is planned outside of them, so that the schedule shows what is missing. */
const ROUGH_FACTOR = 2;
/** From this length of a plan on, every target has a day. */
const MIN_DATED_DAYS = 56;
const DAYS_TO_SPARE = 7;
const DAYS_PER_PERIOD = { day: 1, week: 7, month: 30.4, year: 365 } as const;

interface Target {
  readonly from: number;
  readonly to: number;
  readonly by?: string;
}

/** Builds an arc: targets that rise, and the work or the sessions by which they are reached. */
export function buildArc(draft: Draft): readonly PlanNode[] {
  const { goal, frame } = draft;
  const measure = findMeasure(draft);
  const targets = listTargets(draft, measure);
  const root = buildNode('a1', null, ['L1', 'cumulative'], {
    title: goal.aim.title,
    measure: { unit: measure.unit, from: measure.from, targets: targets.map(toMeasureTarget) },
  });
  const work = estimateQuantity(measure, goal.text);
  const sessions = frame.rhythm && planCycle(draft, ROOM_PER_DAY, measureSession(draft, work));
  const isReachable =
    sessions && (work === undefined || work <= ROUGH_FACTOR * sessions.minutes * sessions.days.length);
  return [
    root,
    ...(isReachable
      ? buildWithSessions(draft, measure, targets, sessions)
      : buildWithWork(draft, measure, targets, work)),
  ];
}

/** The measure of the goal. A quantity per period is counted over the plan; without any quantity, the share that is done is counted. */
function findMeasure({ goal, frame }: Draft): MeasureReading {
  const { measure, aim } = goal;
  if (measure === undefined) return { unit: `percent of ${aim.subject}`, from: 0, to: 100, isCumulative: true };
  if (measure.per === undefined || measure.per === 'session') return measure;
  const periods = Math.max(1, Math.round(countPlanDays(frame) / DAYS_PER_PERIOD[measure.per]));
  return { ...measure, to: measure.to * periods };
}

function listTargets({ frame, changes }: Draft, { from, to }: MeasureReading): readonly Target[] {
  const count = countParts(countPlanDays(frame), TARGET_LIMITS, MIN_TARGETS, MAX_TARGETS, changes.morePhases);
  const isWhole = Number.isInteger(from) && Number.isInteger(to) && to - from >= count;
  const bounds = Array.from({ length: count + 1 }, (_, index) => {
    const value = from + ((to - from) * index) / count;
    return isWhole ? Math.round(value) : Number(value.toFixed(3));
  });
  return bounds.slice(1).map((to, index) => {
    const by = findTargetDay(frame, index + 1, count);
    return { from: bounds[index]!, to, ...(by !== undefined && { by }) };
  });
}

/**
 * Day of a target, which is a date that the schedule keeps. Targets before the last one have a week to spare, since the open days of a week can all be
 * at its end; in a short plan they have no day.
 */
function findTargetDay(frame: PlanFrame, number: number, count: number): string | undefined {
  if (number === count) return frame.end;
  if (countPlanDays(frame) < MIN_DATED_DAYS) return undefined;
  const day = addDays(findDayAt(frame, number / count), DAYS_TO_SPARE);
  return day < frame.end ? day : frame.end;
}

/** Length of a session from which the work follows; the sessions are counted with an hour each first. */
function measureSession(draft: Draft, work: number | undefined): number | undefined {
  if (work === undefined) return undefined;
  const { days } = planCycle(draft, ROOM_PER_DAY);
  return Math.max(5, 5 * Math.ceil(work / days.length / 5));
}

function buildWithSessions(
  draft: Draft,
  measure: MeasureReading,
  targets: readonly Target[],
  sessions: PlanSessions,
): readonly PlanNode[] {
  const { title } = draft.goal.aim;
  return [
    buildNode('a1s', 'a1', ['L3', 'recurring'], {
      title: `Session: ${title}`,
      recurrence: sessions.rule,
      estimateMinutes: sessions.minutes,
    }),
    ...targets.flatMap((target, index) => [
      buildTarget(measure, target, index),
      buildNode(`a1m${index + 1}t1`, `a1m${index + 1}`, ['L3', 'once'], {
        title: `Check that the count is ${formatQuantity(target.to, measure)}`,
        estimateMinutes: CHECK_MINUTES,
      }),
    ]),
  ];
}

function buildWithWork(
  draft: Draft,
  measure: MeasureReading,
  targets: readonly Target[],
  work: number | undefined,
): readonly PlanNode[] {
  const { frame, goal, changes } = draft;
  const free = countFreeMinutes(frame, () => 0);
  const total =
    work === undefined
      ? assumeWork(countPlanDays(frame), free, MINUTES_PER_WEEK, changes.workFactor)
      : fitWork(work * changes.workFactor, free);
  const minutes = divideWork(
    total,
    targets.map(() => 1),
  );
  return targets.flatMap((target, index) => [
    buildTarget(measure, target, index),
    buildNode(`a1m${index + 1}t1`, `a1m${index + 1}`, ['L3', 'cumulative'], {
      title: `From ${formatNumber(target.from)} to ${formatQuantity(target.to, measure)}: ${goal.aim.title}`,
      estimateMinutes: minutes[index]!,
    }),
  ]);
}

function toMeasureTarget({ to, by }: Target): NonNullable<PlanNode['measure']>['targets'][number] {
  return { value: to, ...(by !== undefined && { by }) };
}

function buildTarget(measure: MeasureReading, target: Target, index: number): PlanNode {
  const { from, to, by } = target;
  return buildNode(`a1m${index + 1}`, 'a1', ['L2', 'cumulative'], {
    title: `${formatQuantity(to, measure)}${by === undefined ? '' : ` by ${by}`}`,
    endCriterion: `The count of ${measure.unit} has reached ${formatNumber(to)}.`,
    measure: { unit: measure.unit, from, targets: [toMeasureTarget(target)] },
  });
}

function formatQuantity(value: number, { unit }: MeasureReading): string {
  return `${formatNumber(value)} ${unit}`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}
