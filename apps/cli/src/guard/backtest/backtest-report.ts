import {
  addAmounts,
  hitAssessments,
  NO_AMOUNT,
  sumHitCosts,
  type Amount,
  type BacktestHit,
  type BacktestMessage,
  type HitAssessment,
  type HitCosts,
  type HitOutcome,
  type JobBacktest,
} from '@phaseline/contracts';

/** Number of hits that the report keeps of each group, and of jobs that cannot be read. All are counted. */
const MAX_EXAMPLES = 5;

/** Hits with the same decision, of which the same became. */
export interface HitGroup {
  readonly decision: string;
  readonly outcome: HitOutcome;
  /** Status of their jobs. */
  readonly status: string;
  hits: number;
  /** The first hits. */
  readonly examples: BacktestHit[];
}

/** All hits of one assessment. */
export interface AssessedHits extends HitCosts {
  readonly assessment: HitAssessment;
  readonly hits: number;
  /** Most hits first. */
  readonly groups: readonly HitGroup[];
}

/** What a backtest found in all jobs. */
export interface BacktestSummary {
  readonly release: string;
  readonly jobs: number;
  readonly events: number;
  /** Calls and claims about which the guard was asked. */
  readonly calls: number;
  /** Those whose outcome is known. */
  readonly labelled: number;
  readonly hits: number;
  /** In the order of `hitAssessments`. */
  readonly assessments: readonly AssessedHits[];
  /** Hook points of the guard at which it was not asked. */
  readonly untested: readonly string[];
  /** Commits with claims about which it was not asked, by reason. */
  readonly unknown: Readonly<Record<string, number>>;
  /** Jobs that could not be tested to their end, and the first of them. */
  readonly unreadable: {
    readonly jobs: number;
    readonly examples: readonly { readonly jobId: string; readonly reason: string }[];
  };
}

interface Tally {
  hits: number;
  atLeast: Amount;
  atMost: Amount;
  readonly groups: Map<string, HitGroup>;
}

/** Adds up what a backtest reports job by job. Its size does not depend on the number of jobs and hits. */
export class BacktestReport {
  expectedJobs = 0;
  jobs = 0;
  private release = '';
  private calls = 0;
  private labelled = 0;
  private events = 0;
  private readonly tallies = new Map<HitAssessment, Tally>();
  private readonly untested = new Set<string>();
  private readonly unknown: Record<string, number> = {};
  private unreadableJobs = 0;
  private readonly unreadable: { jobId: string; reason: string }[] = [];

  add(message: BacktestMessage): void {
    switch (message.kind) {
      case 'backtested':
        this.addJob(message.backtest);
        return;
      case 'started':
        this.expectedJobs = message.jobs;
        this.release = message.release;
        return;
      case 'figures':
        // What the jobs report contains them already.
        return;
    }
  }

  summarise(): BacktestSummary {
    const { release, jobs, events, calls, labelled, untested, unknown } = this;
    const assessments = hitAssessments.flatMap((assessment) => {
      const tally = this.tallies.get(assessment);
      if (!tally) return [];
      const groups = [...tally.groups.values()].sort((left, right) => right.hits - left.hits);
      return [{ assessment, ...tally, groups }];
    });
    return {
      ...{ release, jobs, events, calls, labelled },
      ...{ hits: assessments.reduce((sum, { hits }) => sum + hits, 0), assessments },
      untested: [...untested],
      unknown,
      unreadable: { jobs: this.unreadableJobs, examples: this.unreadable },
    };
  }

  private addJob({ jobId, status, events, calls, labelled, untested, unknown, unreadable, hits }: JobBacktest): void {
    this.jobs += 1;
    this.events += events;
    this.calls += calls;
    this.labelled += labelled;
    for (const point of untested) this.untested.add(point);
    for (const [reason, count] of Object.entries(unknown)) this.unknown[reason] = (this.unknown[reason] ?? 0) + count;
    if (unreadable !== undefined) {
      this.unreadableJobs += 1;
      if (this.unreadable.length < MAX_EXAMPLES) this.unreadable.push({ jobId, reason: unreadable });
    }
    for (const ofPhase of Map.groupBy(hits, ({ assessment, streamId }) => `${assessment} ${streamId}`).values())
      this.addHits(ofPhase, status);
  }

  /** Adds the hits of one assessment in one phase. */
  private addHits(hits: readonly BacktestHit[], status: string): void {
    const { assessment } = hits[0]!;
    const tally = this.tallies.get(assessment) ?? { hits: 0, atLeast: NO_AMOUNT, atMost: NO_AMOUNT, groups: new Map() };
    this.tallies.set(assessment, tally);
    const { atLeast, atMost } = sumHitCosts(hits);
    tally.hits += hits.length;
    tally.atLeast = addAmounts(tally.atLeast, atLeast);
    tally.atMost = addAmounts(tally.atMost, atMost);
    for (const hit of hits) {
      const { decision, outcome } = hit;
      const key = `${decision} ${outcome} ${status}`;
      const group = tally.groups.get(key) ?? { decision, outcome, status, hits: 0, examples: [] };
      tally.groups.set(key, group);
      group.hits += 1;
      if (group.examples.length < MAX_EXAMPLES) group.examples.push(hit);
    }
  }
}
