import { checkProof, checkSchedule, generateSchedule, type ScheduleProblem } from '@phaseline/planning';
import { SeededRandom } from '@phaseline/harness';
import { BenchFailed } from './bench-failed.js';

export interface ScheduleRow {
  readonly what: string;
  readonly tasks: number;
  readonly plans: number;
  /** Plans by how their schedule was decided. */
  readonly feasible: number;
  readonly infeasible: number;
  readonly undecided: number;
  readonly p50Ms: number;
  readonly maxMs: number;
}

/** Size of the plan that has to be scheduled in under a second. */
const TASKS = 500;
/** Monday, 4 January 2027, in minutes since 1970. */
const START = Date.UTC(2027, 0, 4) / 60_000;
const MINUTES_PER_DAY = 1_440;
const WORKING_DAY = [
  { from: '09:00', to: '12:30' },
  { from: '13:30', to: '18:00' },
] as const;

/**
 * Measures how long it takes to schedule plans of 500 tasks: with time to spare, with dates that may contradict each other, and with less time than they
 * need. Each schedule and each proof is checked by an independent checker; one that is refused fails the benchmark.
 */
export function measureSchedules({
  plans,
  seed,
}: {
  readonly plans: number;
  readonly seed: number;
}): readonly ScheduleRow[] {
  return [
    measure('with time to spare', plans, (index) =>
      drawProblem(new SeededRandom(seed + index), { days: 400, dated: 0 }),
    ),
    measure('dates that may contradict', plans, (index) =>
      drawProblem(new SeededRandom(seed + index), { days: 400, dated: 0.005 }),
    ),
    measure('too little time', plans, (index) => drawProblem(new SeededRandom(seed + index), { days: 60, dated: 0 })),
  ];
}

function measure(what: string, plans: number, draw: (index: number) => ScheduleProblem): ScheduleRow {
  const times: number[] = [];
  const counts = { feasible: 0, infeasible: 0, undecided: 0 };
  for (let index = 0; index < plans; index += 1) {
    const problem = draw(index);
    const started = performance.now();
    const answer = generateSchedule(problem);
    times.push(performance.now() - started);
    counts[answer.kind] += 1;
    if (answer.kind === 'feasible') {
      const [violation] = checkSchedule(problem, answer.schedule);
      if (violation) throw new BenchFailed(`a schedule is wrong: ${JSON.stringify(violation)}`);
    }
    if (answer.kind === 'infeasible' && !checkProof(problem, answer.proof))
      throw new BenchFailed(`a proof is refused: ${JSON.stringify(answer.proof)}`);
  }
  const sorted = times.toSorted((one, other) => one - other);
  const p50Ms = sorted[Math.floor(sorted.length / 2)]!;
  return { what, tasks: TASKS, plans, ...counts, p50Ms, maxMs: sorted.at(-1)! };
}

function drawProblem(
  random: SeededRandom,
  { days, dated }: { readonly days: number; readonly dated: number },
): ScheduleProblem {
  const ids = Array.from({ length: TASKS }, (_, index) => `t${index}`);
  const pickTime = (within: number) => START + MINUTES_PER_DAY * random.between(0, within);
  return {
    calendar: {
      zone: 'Europe/Berlin',
      hours: [...Array.from({ length: 5 }, () => WORKING_DAY), [], []],
      closedDays: [],
      openDays: [],
    },
    window: { start: START, end: START + MINUTES_PER_DAY * days },
    tasks: ids.map((id) => ({
      ...{ id, minutes: 15 * random.between(1, 12) },
      ...(random.chance(0.1) ? { earliestStart: pickTime(days / 2) } : {}),
      ...(random.chance(dated) ? { latestEnd: pickTime(days) } : {}),
    })),
    series: [],
    links: ids.slice(1).map((to, index) => ({
      ...{
        from: ids[random.between(Math.max(0, index - 20), index)]!,
        to,
        kind: 'FS' as const,
        lag: 0,
        unit: 'working' as const,
      },
    })),
    capacity: { minutesPerDay: 360, minutesPerWeek: 1_800 },
    taken: [],
    profile: { distribution: 'even', bufferShare: 0, preferredWeekdays: [] },
  };
}
