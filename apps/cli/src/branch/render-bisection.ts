import type { Bisection, BranchStop, TestedPoint } from '@phaseline/branches';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatUsd, pluralise } from '../output/quantities.js';

/** The bad answer, then each tested point, and what the branches cost. */
export function renderBisection(found: Bisection, answers: number, paint: Paint): string[] {
  return [
    ...renderOutcome(found, answers, paint),
    ...found.tested.map((point) => `  ${renderTestedPoint(point)}`),
    `All branches cost ${formatUsd(found.costMicroUsd)}.`,
  ];
}

/** One line: how many branches of a point completed. */
export function renderTestedPoint({ answers, branches, hasPassed }: TestedPoint): string {
  const completed = branches.filter(({ status }) => status === 'completed').length;
  return `after ${pluralise(answers, 'answer')}: ${completed} of ${pluralise(branches.length, 'branch', 'branches')} completed, ${hasPassed ? 'passes' : 'fails'}`;
}

/** Why branches were not run to the end, and what to do. */
export function renderStop(stop: BranchStop): string {
  if (stop.reason === 'budget')
    return 'Stopped: the budget is spent. Run the command again with a larger --budget-usd; what has ended is not run again.';
  const { jobId, status } = stop.branch;
  return `Stopped: branch ${jobId} is ${status}. Branches that wait for a person show nothing; cancel it, or fork from a later position.`;
}

function renderOutcome(found: Bisection, answers: number, paint: Paint): string[] {
  const { bad, stopped } = found;
  if (stopped) return [paint.red(renderStop(stopped))];
  if (!bad) return [];
  const { phase, step, position, calls } = bad;
  const asked = calls.map(({ name, arguments: args }) => `${name} ${toPrintable(JSON.stringify(args)).slice(0, 120)}`);
  return [
    `${paint.bold(`phase ${phase}, step ${step}`)} (position ${position}, of ${pluralise(answers, 'answer')}) is the first answer after which branches no longer complete`,
    ...asked.map((line) => `  ${line}`),
    ...renderDoubt(found),
  ];
}

/** What else may have spoiled the job, if all points showed the same. */
function renderDoubt({ tested, isConfirmed }: Bisection): string[] {
  if (!isConfirmed) return ['No branch before it completed either: the task or its beginning may be what is wrong.'];
  if (tested.some(({ hasPassed }) => !hasPassed)) return [];
  return ['Branches complete from every point: a limit of the job, or chance, may be what ended it.'];
}
