import type { JobId } from '@phaseline/contracts';
import { BranchBudget, BranchesStopped, type BranchStop } from '../point/branch-budget.js';
import type { Branch, BranchRequest, BranchRunner, BranchChanges } from '../point/branch.js';
import { hasSameCalls, type AnswerCalls, type RecordedAnswer } from '../point/recorded-answer.js';
import { estimateDifference, estimateRate, type Estimate, type PassCount } from './compare-rates.js';
import { sampleAnswers } from './sample-answers.js';

export interface ExperimentOptions {
  readonly jobs: readonly { readonly jobId: JobId; readonly answers: readonly RecordedAnswer[] }[];
  readonly candidate: BranchChanges;
  /** Names the candidate in the keys of its branches. */
  readonly name: string;
  /** Answers of each job at which the candidate is asked. */
  readonly samples: number;
  /** Branches of the candidate, and of the recorded definition, from the first difference of each job. */
  readonly branches: number;
  /** What all branches may cost together, in micro-USD. */
  readonly maxCostMicroUsd?: number;
}

/** What the candidate does in one job. */
export interface ExperimentJob {
  readonly jobId: JobId;
  /** Answers at which the candidate was asked, and those for which it asked for other calls. */
  readonly asked: number;
  readonly differing: number;
  /** The first of them. */
  readonly firstDifference?: {
    readonly phase: number;
    readonly step: number;
    readonly position: number;
    readonly recorded: AnswerCalls;
    readonly candidate: AnswerCalls;
  };
  /** Branches from the first difference: with the candidate, and as the job was defined. */
  readonly candidate: readonly Branch[];
  readonly baseline: readonly Branch[];
}

/** Branches of one side of an experiment. */
export interface ExperimentSide extends PassCount {
  readonly rate: Estimate;
  /** Means per branch, from the first difference to the end. */
  readonly meanCostMicroUsd: number;
  readonly meanSteps: number;
}

/** What an experiment shows. */
export interface Experiment {
  /** `worse` or `better` if the interval of the difference says so; `same` if no call differs; `open` if branches differ by no more than chance. */
  readonly outcome: 'same' | 'worse' | 'better' | 'open';
  readonly jobs: readonly ExperimentJob[];
  readonly candidate: ExperimentSide;
  readonly baseline: ExperimentSide;
  /** Pass rate of the candidate minus that of the recorded definition. */
  readonly difference: Estimate;
  readonly costMicroUsd: number;
  readonly stopped?: BranchStop;
}

/**
 * Asks a candidate for the next calls at sampled points of recorded jobs, and follows branches from the first point of each job at which it asks for
 * others. Branches of the recorded definition from the same points show what is chance.
 */
export async function runExperiment(
  options: ExperimentOptions,
  runner: BranchRunner,
  onJob: (job: ExperimentJob) => void = () => undefined,
): Promise<Experiment> {
  const budget = new BranchBudget(runner, options.maxCostMicroUsd);
  const jobs: ExperimentJob[] = [];
  let stopped: BranchStop | undefined;
  try {
    for (const [index, { jobId, answers }] of options.jobs.entries()) {
      const job = await tryOnJob(jobId, sampleAnswers(answers, options.samples, index), options, budget);
      jobs.push(job);
      onJob(job);
    }
  } catch (error) {
    if (!(error instanceof BranchesStopped)) throw error;
    stopped = error.stop;
  }
  return { ...summarise(jobs), costMicroUsd: budget.spentMicroUsd, ...(stopped ? { stopped } : {}) };
}

async function tryOnJob(
  jobId: JobId,
  sampled: readonly RecordedAnswer[],
  { candidate, name, branches }: ExperimentOptions,
  budget: BranchBudget,
): Promise<ExperimentJob> {
  const probes = await budget.runAll(
    sampled.map(({ before, position }) => ({
      jobId,
      position: before,
      candidate,
      isProbe: true,
      key: `experiment-${name}-${position}-probe`,
    })),
  );
  const differing = sampled.flatMap((answer, index) => {
    const { firstCalls = [] } = probes[index]!;
    return hasSameCalls(answer.calls, firstCalls) ? [] : [{ answer, firstCalls }];
  });
  const counts = { jobId, asked: sampled.length, differing: differing.length };
  const [first] = differing;
  if (!first) return { ...counts, candidate: [], baseline: [] };
  const { phase, step, position, before, calls } = first.answer;
  const follow = (side: 'candidate' | 'baseline', changes: BranchChanges): readonly BranchRequest[] =>
    Array.from({ length: branches }, (_, index) => ({
      jobId,
      position: before,
      candidate: changes,
      isProbe: false,
      key: `experiment-${side === 'candidate' ? name : side}-${position}-${index + 1}`,
    }));
  const followed = await budget.runAll([...follow('candidate', candidate), ...follow('baseline', {})]);
  return {
    ...counts,
    firstDifference: { phase, step, position, recorded: calls, candidate: first.firstCalls },
    candidate: followed.slice(0, branches),
    baseline: followed.slice(branches),
  };
}

function summarise(jobs: readonly ExperimentJob[]): Omit<Experiment, 'costMicroUsd'> {
  const candidate = describeSide(jobs.flatMap((job) => job.candidate));
  const baseline = describeSide(jobs.flatMap((job) => job.baseline));
  const difference = estimateDifference(candidate, baseline);
  return { outcome: findOutcome(jobs, difference), jobs, candidate, baseline, difference };
}

function findOutcome(jobs: readonly ExperimentJob[], { low, high }: Estimate): Experiment['outcome'] {
  if (jobs.every(({ differing }) => differing === 0)) return 'same';
  if (high < 0) return 'worse';
  return low > 0 ? 'better' : 'open';
}

function describeSide(branches: readonly Branch[]): ExperimentSide {
  const total = branches.length;
  const passed = branches.filter(({ status }) => status === 'completed').length;
  const mean = (of: (branch: Branch) => number): number =>
    total === 0 ? 0 : branches.reduce((sum, branch) => sum + of(branch), 0) / total;
  return {
    passed,
    total,
    rate: estimateRate({ passed, total }),
    meanCostMicroUsd: mean(({ costMicroUsd }) => costMicroUsd),
    meanSteps: mean(({ steps }) => steps),
  };
}
