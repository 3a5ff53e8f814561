import {
  addAmounts,
  MAX_BACKTEST_EXAMPLES,
  NO_AMOUNT,
  sumHitCosts,
  type BacktestFigures,
  type BacktestHit,
  type JobBacktest,
} from '@phaseline/contracts';

type Example = BacktestFigures['examples'][number];

/** Adds up what a backtest found job by job. Its size does not depend on the number of jobs and hits. */
export class FiguresSum {
  private readonly counts = { jobs: 0, calls: 0, hits: 0, possiblyWrong: 0, labelled: 0 };
  private moneyAtRisk = { atLeast: NO_AMOUNT, atMost: NO_AMOUNT };
  private isComplete = true;
  private readonly wrong: Example[] = [];
  private readonly others: Example[] = [];

  add({ jobId, calls, labelled, hits, unreadable, untested, unknown }: JobBacktest): void {
    const wrong = hits.filter(({ assessment }) => assessment === 'possibly-wrong');
    this.counts.jobs += 1;
    this.counts.calls += calls;
    this.counts.labelled += labelled;
    this.counts.hits += hits.length;
    this.counts.possiblyWrong += wrong.length;
    const { atLeast, atMost } = sumHitCosts(wrong);
    this.moneyAtRisk = {
      atLeast: addAmounts(this.moneyAtRisk.atLeast, atLeast),
      atMost: addAmounts(this.moneyAtRisk.atMost, atMost),
    };
    if (unreadable !== undefined || untested.length > 0 || Object.keys(unknown).length > 0) this.isComplete = false;
    for (const hit of hits) {
      const examples = hit.assessment === 'possibly-wrong' ? this.wrong : this.others;
      if (examples.length < MAX_BACKTEST_EXAMPLES) examples.push(toExample(jobId, hit));
    }
  }

  /** The figures of all jobs. `leftOut` tells that there are more jobs than were read. */
  summarise(upTo: BacktestFigures['upTo'], leftOut: boolean): BacktestFigures {
    const { counts, moneyAtRisk, isComplete, wrong, others } = this;
    const examples = [...wrong, ...others].slice(0, MAX_BACKTEST_EXAMPLES);
    return { ...counts, moneyAtRisk, upTo, isComplete: isComplete && !leftOut, examples };
  }
}

function toExample(jobId: Example['jobId'], { streamId, version, tool, decision, outcome }: BacktestHit): Example {
  return {
    ...{ jobId, streamId, position: version, effect: decision, became: outcome },
    ...(tool === undefined ? {} : { tool }),
  };
}
