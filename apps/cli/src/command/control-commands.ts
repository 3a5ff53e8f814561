import type { ControlAction, ControlRequests } from '@phaseline/client';
import type { Command } from 'commander';
import type { ControlFilter } from '../control/control.js';
import type { Action } from './build-program.js';
import { jobStatusNames } from './job-status-names.js';
import { appendedChoice, dollars, wholeNumber } from './option-values.js';

const JOBS = 'ids of jobs, or the beginnings of them';
const JOB = 'id of the job, or the beginning of it';

interface Asked extends ControlFilter {
  readonly reason?: string;
  readonly budgetUsd?: number;
  readonly maxPhases?: number;
}

/** The commands by which a person steps in. */
export function addControlCommands(program: Command, action: Action): void {
  const many = (name: 'pause' | 'resume' | 'retry', description: string, fits: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('[jobs...]', JOBS)
      .option('--all', `every job that ${fits}`)
      .option(
        '-s, --status <status>',
        `jobs of this status; may be repeated (${jobStatusNames.join(', ')})`,
        appendedChoice(jobStatusNames),
      )
      .option('-a, --agent <agent>', 'jobs of this agent')
      .option('-l, --label <key[=value]>', 'jobs with this label')
      .option('--reason <text>', 'kept in the log')
      .addHelpText(
        'after',
        '\nA job is refused when somebody paused, resumed, retried or cancelled it after this command looked at it, ' +
          'and a request that this command gave up waiting for is dropped.',
      );

  action(
    many('pause', 'let jobs take no further step; what runs may end', 'has not ended'),
    (jobs: string[], options: Asked) => async (context) =>
      (await load()).control(context, 'pause', jobs, fitting(options, ['submitted', 'running']), reason(options)),
  );
  action(
    many('resume', 'let paused jobs go on', 'is paused'),
    (jobs: string[], options: Asked) => async (context) =>
      (await load()).control(context, 'resume', jobs, fitting(options, ['paused']), reason(options)),
  );
  const retry = many('retry', 'try the failed phase of failed jobs again, with the todos and files it had', 'failed')
    .option('--budget-usd <amount>', 'the most that the job may cost from now on, what is spent included', dollars)
    .option('--max-phases <count>', 'the most phases, those that were included', wholeNumber({ min: 1, max: 10_000 }));
  action(retry, (jobs: string[], options: Asked) => async (context) => {
    const budgets = {
      ...(options.budgetUsd === undefined ? {} : { maxCostUsd: options.budgetUsd }),
      ...(options.maxPhases === undefined ? {} : { maxPhases: options.maxPhases }),
    };
    const given = Object.keys(budgets).length > 0 ? { budgets } : {};
    return (await load()).control(context, 'retry', jobs, fitting(options, ['failed']), {
      ...reason(options),
      ...given,
    });
  });

  const one = <Name extends ControlAction>(
    command: Command,
    name: Name,
    request: (...args: never[]) => ControlRequests[Name],
  ): void =>
    action(
      command,
      (job: string, ...rest: never[]) =>
        async (context) =>
          (await load()).control(context, name, [job], {}, request(...rest)),
    );
  one(
    program
      .command('steer')
      .description('say something to the agent; it is part of its next step')
      .argument('<job>', JOB)
      .argument('<message>', 'what it reads'),
    'steer',
    (message: string) => ({ message }),
  );
  one(
    program
      .command('approve')
      .description('allow a call that waits for a person')
      .argument('<job>', JOB)
      .argument('<call>', 'id of the call; status shows it'),
    'approve',
    (callId: string) => ({ callId }),
  );
  one(
    program
      .command('refuse')
      .description('refuse a call that waits for a person')
      .argument('<job>', JOB)
      .argument('<call>', 'id of the call; status shows it')
      .option('--reason <text>', 'the agent reads it'),
    'refuse',
    (callId: string, options: Asked) => ({ callId, ...reason(options) }),
  );
  one(
    program
      .command('upgrade')
      .description('let a job go on by the newest definition of its agent, from its next phase')
      .argument('<job>', JOB),
    'upgrade',
    () => ({}),
  );
}

function load() {
  return import('../control/control.js');
}

function reason(options: Asked): { reason?: string } {
  return options.reason === undefined ? {} : { reason: options.reason };
}

/** A filter without a status means the jobs that the command can do something about. */
function fitting({ all, status, agent, label }: Asked, meant: NonNullable<ControlFilter['status']>): ControlFilter {
  const given = {
    ...(all === undefined ? {} : { all }),
    ...(agent === undefined ? {} : { agent }),
    ...(label === undefined ? {} : { label }),
  };
  if (status) return { ...given, status };
  return Object.keys(given).length > 0 ? { ...given, status: meant } : {};
}
