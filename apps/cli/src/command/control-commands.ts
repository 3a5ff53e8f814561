import type { ControlAction, ControlRequests } from '@phaseline/client';
import type { Command } from 'commander';
import type { ControlFilter } from '../control/control.js';
import type { RegisterAction } from './command-action.js';
import { jobStatusNames } from './job-status-names.js';
import { createChoiceCollector, parseDollars, createWholeNumberParser } from './option-values.js';

const JOBS = 'job ids, or unique prefixes of them';
const JOB = 'job id, or a unique prefix of it';

interface ControlOptions extends ControlFilter {
  readonly reason?: string;
  readonly budgetUsd?: number;
  readonly maxPhases?: number;
}

/** Adds the commands by which a person intervenes in jobs. */
export function addControlCommands(program: Command, action: RegisterAction): void {
  const addBulkCommand = (name: 'pause' | 'resume' | 'retry', description: string, eligible: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('[jobs...]', JOBS)
      .option('--all', `every job that ${eligible}`)
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

  action(
    addBulkCommand('pause', 'pause jobs; a step that is running may finish', 'has not ended'),
    (jobs: string[], options: ControlOptions) => async (context) =>
      (await loadControl()).control(
        context,
        'pause',
        jobs,
        toFilter(options, ['submitted', 'running']),
        toReason(options),
      ),
  );
  action(
    addBulkCommand('resume', 'resume paused jobs', 'is paused'),
    (jobs: string[], options: ControlOptions) => async (context) =>
      (await loadControl()).control(context, 'resume', jobs, toFilter(options, ['paused']), toReason(options)),
  );
  const retry = addBulkCommand(
    'retry',
    'retry the failed phase of failed jobs, with the todos and files it had',
    'failed',
  )
    .option('--budget-usd <amount>', 'new limit for the total cost, including what is already spent', parseDollars)
    .option(
      '--max-phases <count>',
      'new limit for the number of phases, including those already run',
      createWholeNumberParser({ min: 1, max: 10_000 }),
    );
  action(retry, (jobs: string[], options: ControlOptions) => async (context) => {
    const budgets = {
      ...(options.budgetUsd === undefined ? {} : { maxCostUsd: options.budgetUsd }),
      ...(options.maxPhases === undefined ? {} : { maxPhases: options.maxPhases }),
    };
    const change = Object.keys(budgets).length > 0 ? { budgets } : {};
    return (await loadControl()).control(context, 'retry', jobs, toFilter(options, ['failed']), {
      ...toReason(options),
      ...change,
    });
  });

  const setSingleJobAction = <Name extends ControlAction>(
    command: Command,
    name: Name,
    request: (...args: never[]) => ControlRequests[Name],
  ): void =>
    action(
      command,
      (job: string, ...rest: never[]) =>
        async (context) =>
          (await loadControl()).control(context, name, [job], {}, request(...rest)),
    );
  setSingleJobAction(
    program
      .command('steer')
      .description('send a message to the agent; it sees the message in its next step')
      .argument('<job>', JOB)
      .argument('<message>', 'text of the message'),
    'steer',
    (message: string) => ({ message }),
  );
  setSingleJobAction(
    program
      .command('approve')
      .description('approve a tool call that waits for approval')
      .argument('<job>', JOB)
      .argument('<call>', 'id of the call, as shown by status'),
    'approve',
    (callId: string) => ({ callId }),
  );
  setSingleJobAction(
    program
      .command('refuse')
      .description('refuse a tool call that waits for approval')
      .argument('<job>', JOB)
      .argument('<call>', 'id of the call, as shown by status')
      .option('--reason <text>', 'shown to the agent'),
    'refuse',
    (callId: string, options: ControlOptions) => ({ callId, ...toReason(options) }),
  );
  setSingleJobAction(
    program
      .command('upgrade')
      .description('switch a job to the newest definition of its agent, from its next phase on')
      .argument('<job>', JOB),
    'upgrade',
    () => ({}),
  );
}

function loadControl() {
  return import('../control/control.js');
}

function toReason(options: ControlOptions): { reason?: string } {
  return options.reason === undefined ? {} : { reason: options.reason };
}

/** Without --status, a filter selects the jobs in one of the `eligible` states. */
function toFilter(
  { all, status, agent, label }: ControlOptions,
  eligible: NonNullable<ControlFilter['status']>,
): ControlFilter {
  const filter = {
    ...(all === undefined ? {} : { all }),
    ...(agent === undefined ? {} : { agent }),
    ...(label === undefined ? {} : { label }),
  };
  if (status) return { ...filter, status };
  return Object.keys(filter).length > 0 ? { ...filter, status: eligible } : {};
}
