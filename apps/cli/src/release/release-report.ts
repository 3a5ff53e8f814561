import type { DecisionDifference, JobCheck, ReleaseCheckMessage } from '@phaseline/contracts';
import { renderBar } from '../progress/render-progress.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatCount, pluralise } from '../output/quantities.js';

/** Number of differences that the report keeps of each decider. All are counted. */
const MAX_EXAMPLES = 5;
const BAR_COLUMNS = 30;

/** What one decider decides in another way. */
interface DeciderReport {
  readonly decider: string;
  readonly differences: number;
  readonly examples: readonly DecisionDifference[];
}

/** What the check of a release found. */
export interface ReleaseSummary {
  readonly release: string;
  /** Whether no decision differs. */
  readonly passed: boolean;
  readonly jobs: number;
  readonly commits: number;
  /** Decisions that were made again. */
  readonly decisions: number;
  readonly differences: number;
  readonly deciders: readonly DeciderReport[];
  /** Commits that could not be decided again, by reason. */
  readonly unknown: Readonly<Record<string, number>>;
  readonly unreadable: readonly { readonly jobId: string; readonly reason: string }[];
}

/** Adds up what the check reports job by job. */
export class ReleaseReport {
  expectedJobs = 0;
  jobs = 0;
  private release = '';
  private commits = 0;
  private decisions = 0;
  private readonly deciders = new Map<string, { differences: number; examples: DecisionDifference[] }>();
  private readonly unknown: Record<string, number> = {};
  private readonly unreadable: { jobId: string; reason: string }[] = [];

  add(message: ReleaseCheckMessage): void {
    if (message.kind === 'checked') {
      this.addJob(message.check);
      return;
    }
    this.expectedJobs = message.jobs;
    this.release = message.release;
  }

  private addJob({ jobId, commits, decisions, differences, unknown, unreadable }: JobCheck): void {
    this.jobs += 1;
    this.commits += commits;
    this.decisions += decisions;
    for (const difference of differences) {
      const of = this.deciders.get(difference.decider) ?? { differences: 0, examples: [] };
      of.differences += 1;
      if (of.examples.length < MAX_EXAMPLES) of.examples.push(difference);
      this.deciders.set(difference.decider, of);
    }
    for (const [reason, count] of Object.entries(unknown)) this.unknown[reason] = (this.unknown[reason] ?? 0) + count;
    if (unreadable !== undefined) this.unreadable.push({ jobId, reason: unreadable });
  }

  summarise(): ReleaseSummary {
    const deciders = [...this.deciders]
      .map(([decider, of]) => ({ decider, ...of }))
      .sort((left, right) => right.differences - left.differences || (left.decider < right.decider ? -1 : 1));
    const { release, jobs, commits, decisions, unknown, unreadable } = this;
    const differences = deciders.reduce((sum, of) => sum + of.differences, 0);
    return {
      release,
      passed: differences === 0,
      ...{ jobs, commits, decisions, differences, deciders, unknown, unreadable },
    };
  }
}

export function renderReleaseProgress({ jobs, expectedJobs }: ReleaseReport): string {
  return `${renderBar(jobs, expectedJobs, BAR_COLUMNS)} ${formatCount(jobs)} of ${pluralise(expectedJobs, 'job')} decided again`;
}

/** The outcome, then each decider that differs with examples, then what could not be checked. */
export function renderReleaseReport(summary: ReleaseSummary, paint: Paint): string[] {
  const { decisions, jobs, release, unknown, unreadable } = summary;
  const again = `${pluralise(decisions, 'decision')} of ${pluralise(jobs, 'job')} made again by release ${release}`;
  const outcome = summary.passed
    ? `${paint.green('✓ check-release passed')}: ${again}, none differs`
    : `${paint.red('✗ check-release failed')}: ${again}, ${formatCount(summary.differences)} differ`;
  return [
    outcome,
    ...summary.deciders.flatMap((decider) => renderDecider(decider, paint)),
    ...Object.entries(unknown).map(([reason, count]) => `Not decided again: ${pluralise(count, 'commit')}, ${reason}`),
    ...unreadable.map(({ jobId, reason }) => `Not checked to its end: job ${jobId}, ${toPrintable(reason)}`),
  ];
}

function renderDecider({ decider, differences, examples }: DeciderReport, paint: Paint): string[] {
  const more = differences > examples.length ? [`  … and ${formatCount(differences - examples.length)} more`] : [];
  return [
    '',
    paint.bold(`${decider}: ${pluralise(differences, 'difference')}`),
    ...examples.flatMap(renderExample),
    ...more,
  ];
}

function renderExample({ streamId, version, recorded, decided, members }: DecisionDifference): string[] {
  const at = `  ${streamId}@${version}`;
  if (recorded !== decided && members.length === 0)
    return [`${at}: recorded ${recorded ?? 'nothing'}, now ${decided ?? 'nothing'}`];
  return [
    `${at}: ${recorded ?? decided ?? ''}`,
    ...members.map(
      (one) =>
        `    ${one.path}: recorded ${toPrintable(one.recorded ?? 'nothing')}, now ${toPrintable(one.decided ?? 'nothing')}`,
    ),
  ];
}
