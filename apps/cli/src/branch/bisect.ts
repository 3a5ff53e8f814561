import { bisect, type Bisection } from '@phaseline/branches';
import { isRetryable } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { NothingToBranch } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { startProgress } from '../output/start-progress.js';
import { chooseBudget } from './choose-budget.js';
import { ClientBranches } from './client-branches.js';
import { renderBisection, renderTestedPoint } from './render-bisection.js';

export interface BisectOptions {
  readonly branches: number;
  readonly passRate: number;
  readonly budgetUsd?: number;
  readonly run: string;
}

/** `phaseline bisect JOB`: finds the answer after which the job no longer completes. Exit code 1 if it was not found. */
export async function bisectJob(context: CommandContext, given: string, options: BisectOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const job = await client.get(jobId, { signal });
  if (!isRetryable(job.status))
    throw new NothingToBranch(
      `Job ${jobId} is ${job.status}. Only a job that failed, was aborted or is blocked has an answer that spoiled it.`,
    );
  const runner = new ClientBranches(client, `bisect-${options.run}`, signal);
  const answers = await runner.listAnswers(jobId);
  if (answers.length === 0) throw new NothingToBranch(`Job ${jobId} has no answer of a model.`);
  const progress = startProgress(context);
  const points = Math.ceil(Math.log2(answers.length));
  let found: Bisection;
  try {
    progress.report(`0 of ${points} points tested`);
    let tested = 0;
    const maxCostMicroUsd = chooseBudget(options.budgetUsd, job.usage.costMicroUsd, points * options.branches);
    found = await bisect(
      {
        jobId,
        answers,
        ...{ branches: options.branches, passRate: options.passRate },
        ...(maxCostMicroUsd === undefined ? {} : { maxCostMicroUsd }),
      },
      runner,
      (point) => {
        tested += 1;
        progress.report(`${tested} of ${points} points tested; ${renderTestedPoint(point)}`);
      },
    );
  } finally {
    progress.end();
  }
  if (out.isStructured) out.writeDocument({ jobId, answers: answers.length, ...found });
  else out.writeLines(...renderBisection(found, answers.length, out.paint));
  return found.bad ? exitCode.ok : exitCode.failed;
}
