import { createHash } from 'node:crypto';
import { toCanonicalJson } from '@phaseline/basics';
import { runExperiment, type BranchChanges, type Experiment } from '@phaseline/branches';
import type { JobSummary, PhaselineClient } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { NothingToBranch, UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { startProgress } from '../output/start-progress.js';
import { chooseBudget } from './choose-budget.js';
import { ClientBranches } from './client-branches.js';
import { renderExperiment } from './render-experiment.js';
import { selectEndedJobs } from './select-ended-jobs.js';

export interface ExperimentOptions {
  readonly jobs: readonly string[];
  readonly agent?: string;
  readonly model?: Readonly<Record<string, string>>;
  readonly phaseLimit?: Readonly<Record<string, number>>;
  readonly maxJobs: number;
  readonly samples: number;
  readonly branches: number;
  readonly budgetUsd?: number;
  readonly run: string;
}

/**
 * `phaseline experiment --jobs FILTER --agent NEW`: tries another agent, model or limit on recorded jobs. Exit code 1 if it does worse, or if the
 * budget did not suffice.
 */
export async function experiment(context: CommandContext, options: ExperimentOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { agent, model: models, phaseLimit: limits, samples, branches } = options;
  const candidate: BranchChanges = {
    ...(agent ? { agent } : {}),
    ...(models ? { models } : {}),
    ...(limits ? { limits } : {}),
  };
  if (Object.keys(candidate).length === 0)
    throw new UsageError('Name what is tried: --agent NAME, --model tactical=PROFILE or --phase-limit steps=400.');
  const client = await connect(context);
  const selected = await selectEndedJobs(client, options.jobs, options.maxJobs, signal);
  if (selected.length === 0) throw new NothingToBranch('No ended job that can be forked matches --jobs.');
  const name = `${options.run}-${await hashCandidate(client, candidate, signal)}`;
  const runner = new ClientBranches(client, name, signal);
  const progress = startProgress(context);
  let result: Experiment;
  try {
    const jobs = await listAnswers(runner, selected);
    let done = 0;
    progress.report(`0 of ${jobs.length} jobs tried`);
    const maxCostMicroUsd = chooseBudget(
      options.budgetUsd,
      selected.reduce((sum, { usage }) => sum + usage.costMicroUsd, 0),
      // Both sides, and the prompts of the candidate, which are one answer each.
      2 * branches + 1,
    );
    result = await runExperiment(
      { jobs, candidate, name, samples, branches, ...(maxCostMicroUsd === undefined ? {} : { maxCostMicroUsd }) },
      runner,
      ({ differing, asked }) => {
        done += 1;
        progress.report(
          `${done} of ${jobs.length} jobs tried; the last: other calls after ${differing} of ${asked} prompts`,
        );
      },
    );
  } finally {
    progress.end();
  }
  if (out.isStructured) out.writeDocument({ changes: candidate, ...result });
  else out.writeLines(...renderExperiment(result, out.paint));
  return result.outcome === 'worse' || result.stopped ? exitCode.failed : exitCode.ok;
}

/** Names a candidate by its content, so that an agent that was edited is tried again. */
async function hashCandidate(client: PhaselineClient, candidate: BranchChanges, signal: AbortSignal): Promise<string> {
  const detail = candidate.agent === undefined ? undefined : await client.agent(candidate.agent, { signal });
  const content = toCanonicalJson({
    ...candidate,
    ...(detail ? { definition: detail.definition, instructions: detail.instructions, guards: detail.guards } : {}),
  } as never);
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

async function listAnswers(runner: ClientBranches, jobs: readonly JobSummary[]) {
  const listed = await Promise.all(
    jobs.map(async ({ jobId }) => ({ jobId, answers: await runner.listAnswers(jobId) })),
  );
  return listed.filter(({ answers }) => answers.length > 0);
}
