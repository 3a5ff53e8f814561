import type { Amount, BacktestHit, HitAssessment, HitOutcome } from '@phaseline/contracts';
import type { Guard } from '@phaseline/domain';
import type { Paint } from '../../output/paint.js';
import { toPrintable } from '../../output/printable.js';
import { formatAge, formatCount, formatUsd, pluralise } from '../../output/quantities.js';
import { renderBar } from '../../progress/render-progress.js';
import type { AssessedHits, BacktestReport, BacktestSummary, HitGroup } from './backtest-report.js';

const BAR_COLUMNS = 30;

export function renderBacktestProgress({ jobs, expectedJobs }: BacktestReport): string {
  return `${renderBar(jobs, expectedJobs, BAR_COLUMNS)} ${formatCount(jobs)} of ${pluralise(expectedJobs, 'job')} tested`;
}

/** The number of hits, then the hits by assessment with their cost and examples, then what was not tested. */
export function renderBacktest(
  {
    guard,
    jobs,
    events,
    calls,
    labelled,
    hits,
    assessments,
    untested,
    unknown,
    unreadable,
  }: BacktestSummary & {
    readonly guard: Pick<Guard, 'name' | 'kind' | 'version'>;
  },
  paint: Paint,
): string[] {
  const { name, kind, version } = guard;
  const read = `${pluralise(jobs, 'job')} with ${formatCount(events)} events`;
  const more = unreadable.jobs - unreadable.examples.length;
  return [
    `${toPrintable(name)} (${kind}, version ${version.slice(0, 8)}): ${pluralise(hits, 'hit')} in ${read}`,
    `Asked about ${pluralise(calls, 'call or claim', 'calls and claims')}. The outcome of ${formatCount(labelled)} is known.`,
    ...assessments.flatMap((assessed) => renderAssessment(assessed, paint)),
    ...(untested.length > 0 || Object.keys(unknown).length > 0 || unreadable.jobs > 0 ? [''] : []),
    ...(untested.length > 0 ? [`Not tested at ${untested.join(', ')}: ${explainUntested(kind)}`] : []),
    ...Object.entries(unknown).map(
      ([reason, count]) => `Not tested: claims in ${pluralise(count, 'commit')}, ${toPrintable(reason)}`,
    ),
    ...unreadable.examples.map(({ jobId, reason }) => `Not tested to its end: job ${jobId}, ${toPrintable(reason)}`),
    ...(more > 0 ? [`… and ${pluralise(more, 'more job', 'more jobs')}`] : []),
  ];
}

function explainUntested(kind: Guard['kind']): string {
  return kind === 'command'
    ? 'a backtest runs commands about calls alone'
    : 'rules and scripts are never asked there, only commands observe';
}

/** The guards of a set that a backtest cannot try, with the reason. */
export function renderUntested(guards: readonly Pick<Guard, 'name' | 'kind' | 'points'>[]): string[] {
  return [
    `Not tested: ${pluralise(guards.length, 'other guard')} of the set, which ${guards.length === 1 ? 'goes' : 'go'} from draft to shadow without a backtest`,
    ...guards.map(({ name, kind, points }) => {
      const why = kind === 'judge' ? 'a judge calls a model' : explainUntested(kind);
      return `  ${toPrintable(name)} (${kind}, ${points.join(', ')}): ${why}`;
    }),
  ];
}

const titles: Readonly<Record<HitAssessment, string>> = {
  'possibly-wrong': 'Possibly wrong',
  'might-have-saved': 'Might have saved work',
  'stopped-anyway': 'Stopped anyway',
  'stops-nothing': 'Stops nothing',
  open: 'Not known',
};

const explanations: Readonly<Record<HitAssessment, string>> = {
  'possibly-wrong': 'The calls succeeded, and their jobs completed. A person should check each group.',
  'might-have-saved': 'The calls failed, or their jobs did.',
  'stopped-anyway': 'The calls were denied or refused, so that the guard would have changed nothing.',
  'stops-nothing': 'The guard adds a text, or grants an approval.',
  open: 'The jobs have not ended, or were cancelled, or the calls never ended.',
};

const outcomeTexts: Readonly<Record<HitOutcome, string>> = {
  completed: 'completed',
  failed: 'failed',
  'denied-by-guard': 'denied by another guard',
  denied: 'denied',
  refused: 'refused by a person',
  expired: 'not approved in time',
  cancelled: 'cancelled',
  'never-ended': 'never ended',
};

function renderAssessment({ assessment, hits, atLeast, atMost, groups }: AssessedHits, paint: Paint): string[] {
  return [
    '',
    paint.bold(`${titles[assessment]}: ${pluralise(hits, 'hit')}`),
    `  ${explanations[assessment]}`,
    ...renderCost(assessment, atLeast, atMost),
    ...groups.flatMap(renderGroup),
  ];
}

function renderCost(assessment: HitAssessment, atLeast: Amount, atMost: Amount): string[] {
  if (assessment === 'possibly-wrong')
    return [`  If they are wrong, they cost at least ${renderAmount(atLeast)}, and at most ${renderAmount(atMost)}.`];
  if (assessment === 'might-have-saved') return [`  Their phases used ${renderAmount(atMost)} afterwards.`];
  return [];
}

function renderAmount({ costMicroUsd, durationMs }: Amount): string {
  return `${formatUsd(costMicroUsd)} and ${formatAge(durationMs)}`;
}

function renderGroup({ decision, outcome, status, hits, examples }: HitGroup): string[] {
  const more = hits > examples.length ? [`    … and ${formatCount(hits - examples.length)} more`] : [];
  return [
    `  ${decision}, ${outcomeTexts[outcome]}, job ${status}: ${formatCount(hits)}`,
    ...examples.map(renderExample),
    ...more,
  ];
}

function renderExample({ streamId, version, point, tool, arguments: args, reason, failure }: BacktestHit): string {
  const what = [tool ?? point, args].filter((text) => text !== undefined).join(' ');
  const why = failure === undefined ? reason : `could not decide: ${failure}`;
  return `    ${streamId}@${version} ${toPrintable(what)}${why === undefined ? '' : `: ${toPrintable(why)}`}`;
}
