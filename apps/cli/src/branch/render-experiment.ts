import type { AnswerCalls, Estimate, Experiment, ExperimentJob, ExperimentSide } from '@phaseline/branches';
import { clip } from '@phaseline/basics';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatUsd, pluralise } from '../output/quantities.js';
import { renderStop } from './render-bisection.js';

/** Characters of a call that a line shows. */
const MAX_CALL_CHARACTERS = 140;

/** The outcome, both sides, and the first difference of each job. */
export function renderExperiment(result: Experiment, paint: Paint): string[] {
  const { jobs, candidate, baseline, difference, costMicroUsd, stopped } = result;
  const asked = jobs.reduce((sum, job) => sum + job.asked, 0);
  const differing = jobs.reduce((sum, job) => sum + job.differing, 0);
  return [
    ...(stopped ? [paint.red(renderStop(stopped))] : []),
    `${renderOutcome(result, paint)}: other calls after ${differing} of ${pluralise(asked, 'prompt')} in ${pluralise(jobs.length, 'job')}`,
    ...(candidate.total + baseline.total === 0
      ? []
      : [
          `  candidate  ${renderSide(candidate)}`,
          `  recorded   ${renderSide(baseline)}`,
          `  difference ${renderPoints(difference)}`,
        ]),
    ...jobs.flatMap(renderJob),
    `All branches cost ${formatUsd(costMicroUsd)}. Intervals contain the true value with a probability of 95 %.`,
  ];
}

function renderOutcome({ outcome }: Experiment, paint: Paint): string {
  switch (outcome) {
    case 'same':
      return paint.green('✓ same calls');
    case 'better':
      return paint.green('✓ better');
    case 'worse':
      return paint.red('✗ worse');
    case 'open':
      return paint.bold('no difference beyond chance');
  }
}

function renderSide({ passed, total, rate, meanCostMicroUsd, meanSteps }: ExperimentSide): string {
  const mean = `${formatUsd(meanCostMicroUsd)} and ${meanSteps.toFixed(1)} steps per branch`;
  return `${passed} of ${total} completed, ${renderPercent(rate)}; ${mean}`;
}

function renderPercent({ value, low, high }: Estimate): string {
  return `${Math.round(value * 100)} % (${Math.round(low * 100)} to ${Math.round(high * 100)} %)`;
}

function renderPoints({ value, low, high }: Estimate): string {
  return `${Math.round(value * 100)} percentage points (${Math.round(low * 100)} to ${Math.round(high * 100)})`;
}

function renderJob({ jobId, firstDifference }: ExperimentJob): string[] {
  if (!firstDifference) return [];
  const { phase, step, position, recorded, candidate } = firstDifference;
  return [
    '',
    `job ${jobId}: first difference in phase ${phase}, step ${step} (position ${position})`,
    `  recorded   ${renderCalls(recorded)}`,
    `  candidate  ${renderCalls(candidate)}`,
  ];
}

function renderCalls(calls: AnswerCalls): string {
  if (calls.length === 0) return 'no call';
  const text = calls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`).join(', ');
  return clip(toPrintable(text), MAX_CALL_CHARACTERS);
}
