import type { JobStatus, CallId } from '@phaseline/contracts';
import type { ControlAction, ControlRequests } from '@phaseline/client';
import type { Command } from 'commander';
import type { ControlFilter } from '../control/control.js';
import type { RegisterAction } from './command-action.js';
import { jobStatusNames } from './job-status-names.js';
import { createChoiceCollector, parseDollars, createWholeNumberParser } from './option-values.js';

interface ControlOptions extends ControlFilter {
  readonly reason?: string;
  readonly budgetUsd?: number;
  readonly maxPhases?: number;
}

/** Adds the commands by which a person intervenes in jobs. */
export function addControlCommands(program: Command, action: RegisterAction): void {
  const addBulkCommand = (
    name: 'pause' | 'resume' | 'retry',
    description: string,
    eligible: { readonly description: string; readonly status: JobStatus[] },
  ): Command => {
    const command = program
      .command(name)
      .description(description)
      .argument('[jobs...]', 'job ids, or unique prefixes of them')
      .option('--all', `every job that ${eligible.description}`)
      .option(
        '-s, --status <status>',
        `jobs with this status; may be repeated (${jobStatusNames.join(', ')})`,
        createChoiceCollector(jobStatusNames),
      )
      .option('-a, --agent <agent>', 'jobs of this agent')
      .option('-l, --label <key[=value]>', 'jobs with this label')
      .option('--reason <text>', 'recorded in the log')
      .addHelpText(
        'after',
        '\nThe request is refused if the job was paused, resumed, retried or cancelled after this command read it. ' +
          'A request that this command stopped waiting for is dropped.',
      );
    action(command, async () => {
      const { control } = await import('../control/control.js');
      return (context, jobs: string[], options: ControlOptions) =>
        control(context, name, jobs, toFilter(options, eligible.status), toRequest(options));
    });
    return command;
  };
  addBulkCommand('pause', 'pause jobs; a step that is running may finish', {
    description: 'has not ended',
    status: ['submitted', 'running'],
  });
  addBulkCommand('resume', 'resume paused jobs', { description: 'is paused', status: ['paused'] });
  addBulkCommand('retry', 'retry the failed phase of failed jobs, with the todos and files it had', {
    description: 'failed',
    status: ['failed'],
  })
    .option('--budget-usd <amount>', 'new limit for the total cost, including what is already spent', parseDollars)
    .option(
      '--max-phases <count>',
      'new limit for the number of phases, including those already run',
      createWholeNumberParser(1, 10_000),
    );

  const addSingleJobCommand = <Name extends ControlAction>(
    name: Name,
    description: string,
    toRequest: (...values: never[]) => ControlRequests[Name],
  ): Command => {
    const command = program
      .command(name)
      .description(description)
      .argument('<job>', 'job id, or a unique prefix of it');
    action(command, async () => {
      const { control } = await import('../control/control.js');
      return (context, job: string, ...values: never[]) => control(context, name, [job], {}, toRequest(...values));
    });
    return command;
  };
  const CALL = 'id of the call, as shown by status';
  addSingleJobCommand(
    'steer',
    'send a message to the agent; it sees the message in its next step',
    (message: string) => ({ message }),
  ).argument('<message>', 'text of the message');
  addSingleJobCommand('approve', 'approve a tool call that waits for approval', (callId: CallId) => ({
    callId,
  })).argument('<call>', CALL);
  addSingleJobCommand(
    'refuse',
    'refuse a tool call that waits for approval',
    (callId: CallId, { reason }: ControlOptions) => ({ callId, reason }),
  )
    .argument('<call>', CALL)
    .option('--reason <text>', 'shown to the agent');
  addSingleJobCommand(
    'upgrade',
    'switch a job to the newest definition of its agent, from its next phase on',
    () => ({}),
  );
}

/** Only `retry` has options for budgets. */
function toRequest({ reason, budgetUsd, maxPhases }: ControlOptions): ControlRequests['retry'] {
  const hasBudget = budgetUsd !== undefined || maxPhases !== undefined;
  return { reason, budgets: hasBudget ? { maxCostUsd: budgetUsd, maxPhases } : undefined };
}

/** Without --status, a filter selects the jobs in one of the `eligible` states. */
function toFilter(options: ControlOptions, eligible: JobStatus[]): ControlFilter {
  const { all, status, agent, label } = options;
  const isFilter = all || agent !== undefined || label !== undefined;
  return isFilter && !status ? { ...options, status: eligible } : options;
}
