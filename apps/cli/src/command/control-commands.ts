import type { JobStatus, CallId } from '@phaseline/contracts';
import type { ControlAction, ControlRequests } from '@phaseline/client';
import { Option, type Command } from 'commander';
import type { AnswerOptions } from '../inbox/answer.js';
import type { ApproveOptions } from '../inbox/approve.js';
import type { InboxOptions } from '../inbox/show-inbox.js';
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
    status: ['submitted', 'running', 'waiting-for-approval', 'waiting-for-input'],
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
  const { all, status, agent, label } = options;
  const isFilter = all || agent !== undefined || label !== undefined;
  return isFilter && !status ? { ...options, status: eligible } : options;
}
