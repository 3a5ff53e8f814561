import type { JobStatus, CallId } from '@phaseline/contracts';
import type { ControlAction, ControlRequests } from '@phaseline/client';
import { Option, type Command } from 'commander';
import type { AnswerOptions } from '../inbox/answer.js';
import type { ApproveOptions } from '../inbox/approve.js';
import type { InboxOptions } from '../inbox/show-inbox.js';
import { selectsJobs, type ControlFilter } from '../control/control-filter.js';
import type { BulkRequests } from '../control/send-request.js';
import type { CancelOptions } from '../job/cancel.js';
import { UsageError } from './command-errors.js';
import type { RegisterAction } from './command-action.js';
import { addJobFilterOptions } from './job-filter-options.js';
import { parseDollars, createWholeNumberParser } from './option-values.js';

interface ControlOptions extends ControlFilter {
  readonly reason?: string;
  readonly budgetUsd?: number;
  readonly maxPhases?: number;
}

/** Jobs that have not ended and are not being cancelled. */
const UNFINISHED: JobStatus[] = ['submitted', 'running', 'paused', 'waiting-for-approval', 'waiting-for-input'];

/** Adds the options that select the jobs of a request, and how it is confirmed. */
function addBulkOptions(command: Command, eligible: string): Command {
  return addJobFilterOptions(command.option('--all', `every job that ${eligible}`))
    .option('-y, --yes', 'do not ask for confirmation; needed for a filter without a terminal')
    .option('--dry-run', 'only show which jobs are selected');
}

/** Adds the commands by which a person intervenes in jobs. */
export function addControlCommands(program: Command, action: RegisterAction): void {
  const addBulkCommand = (
    name: 'pause' | 'resume' | 'retry',
    description: string,
    eligible: { readonly description: string; readonly status: JobStatus[] },
  ): Command => {
    const command = addBulkOptions(
      program.command(name).description(description).argument('[jobs...]', 'job ids, or unique prefixes of them'),
      eligible.description,
    )
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
    status: UNFINISHED.filter((status) => status !== 'paused'),
  });
  addBulkCommand('resume', 'resume paused jobs', { description: 'is paused', status: ['paused'] });
  addBulkCommand('retry', 'retry the last phase of failed, blocked and aborted jobs, with the todos and files it had', {
    description: 'failed, blocked or aborted',
    status: ['failed', 'blocked', 'aborted'],
  })
    .option('--budget-usd <amount>', 'new limit for the total cost, including what is already spent', parseDollars)
    .option(
      '--max-phases <count>',
      'new limit for the number of phases, including those already run',
      createWholeNumberParser(1, 10_000),
    );

  const cancel = addBulkOptions(
    program.command('cancel').description('cancel jobs').argument('[jobs...]', 'job ids, or unique prefixes of them'),
    'has not ended',
  )
    .option('--reason <text>', 'recorded in the log')
    .option('-w, --wait', 'return when the job has ended; for one job');
  action(cancel, async () => {
    const [{ control }, { cancel: cancelOne }] = await Promise.all([
      import('../control/control.js'),
      import('../job/cancel.js'),
    ]);
    return (context, jobs: string[], options: ControlOptions & CancelOptions) => {
      const [only, ...others] = jobs;
      if (only !== undefined && others.length === 0 && !options.dryRun && !selectsJobs(options))
        return cancelOne(context, only, options);
      if (options.wait) throw new UsageError('--wait is for one job id.');
      return control(context, 'cancel', jobs, toFilter(options, UNFINISHED), { reason: options.reason });
    };
  });

  const steer = addBulkOptions(
    program
      .command('steer')
      .description('send a message to the agents of jobs; they see it in their next step')
      .usage('[options] [jobs...] <message>')
      .argument('<values...>', 'job ids, or unique prefixes of them, and then the text of the message'),
    'has not ended',
  );
  action(steer, async () => {
    const { control } = await import('../control/control.js');
    return (context, values: string[], options: ControlOptions) =>
      control(context, 'steer', values.slice(0, -1), toFilter(options, UNFINISHED), { message: values.at(-1)! });
  });

  const addSingleJobCommand = <Name extends ControlAction>(
    name: Name,
    description: string,
    toRequest: (...values: never[]) => BulkRequests[Name],
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
  action(
    program
      .command('approve')
      .description('approve a tool call that waits for approval, with the arguments that the inbox shows')
      .argument('<job>', 'job id, or a unique prefix of it')
      .argument('<call>', CALL)
      .option('--amend <file>', 'run the call with the arguments in this JSON file instead')
      .option(
        '--arguments-hash <hash>',
        'approve only if the arguments still have this hash, as shown by inbox --json',
      ),
    async () => {
      const { approve } = await import('../inbox/approve.js');
      return (context, job: string, callId: CallId, options: ApproveOptions) => approve(context, job, callId, options);
    },
  );
  action(
    program
      .command('answer')
      .description('answer a question of an agent')
      .argument('<job>', 'job id, or a unique prefix of it')
      .argument('<call>', 'id of the call that asked, as shown by inbox')
      .argument('<answer>', 'one of the options, any text, or JSON if the question has a schema')
      .option('--question-hash <hash>', 'answer only if the question still has this hash, as shown by inbox --json'),
    async () => {
      const { answer } = await import('../inbox/answer.js');
      return (context, job: string, callId: CallId, given: string, options: AnswerOptions) =>
        answer(context, job, callId, given, options);
    },
  );
  action(
    program
      .command('inbox')
      .description(
        'show what waits for a person: approvals with what they would change, questions, blocked todos and blocked jobs',
      )
      .argument('[job]', 'only what this job waits for')
      .addOption(
        new Option('--kind <kind>', 'only entries of this kind').choices([
          'approval',
          'question',
          'blocked-job',
          'blocked-todo',
        ]),
      )
      .option('--tenant <tenant>', 'only what jobs of this tenant wait for')
      .option('--agent <agent>', 'only what jobs of this agent wait for')
      .option('--watch', 'show it again every few seconds'),
    async () => {
      const { showInbox } = await import('../inbox/show-inbox.js');
      return (context, job: string | undefined, options: InboxOptions) => showInbox(context, job, options);
    },
  );
  addSingleJobCommand(
    'refuse',
    'refuse a tool call that waits for approval',
    (callId: CallId, { reason }: ControlOptions) => ({ callId, reason }),
  )
    .alias('reject')
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
  return selectsJobs(options) && !options.status ? { ...options, status: eligible } : options;
}
