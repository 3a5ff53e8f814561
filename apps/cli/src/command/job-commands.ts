import type { Command } from 'commander';
import type { CancelOptions } from '../job/cancel.js';
import type { ListOptions } from '../job/list.js';
import type { EraseOptions } from '../erase/erase.js';
import type { SubmitOptions } from '../job/submit.js';
import type { AtOptions, PullOptions } from '../file/files.js';
import type { EventsOptions } from '../event/events.js';
import type { RegisterAction } from './command-action.js';
import { jobStatusNames } from './job-status-names.js';
import {
  collectValue,
  createChoiceCollector,
  collectList,
  parseDollars,
  collectLabel,
  parsePosition,
  createWholeNumberParser,
} from './option-values.js';

const JOB = 'job id, or a unique prefix of it';

/** Adds the commands that submit and inspect jobs. */
export function addJobCommands(program: Command, action: RegisterAction): void {
  const submit = program
    .command('submit')
    .description('submit a job')
    .argument('<agent>', 'name of the agent, such as creator')
    .option('-d, --document <file>', 'document for the job; may be repeated', collectValue)
    .option('-i, --instructions <text>', "instructions added to the agent's own")
    .option('-f, --instructions-file <file>', 'read the instructions from a file; - is standard input')
    .option('--budget-usd <amount>', 'cost limit of the job in US dollars', parseDollars)
    .option('-l, --label <key=value>', 'label; may be repeated', collectLabel)
    .option('--tenant <name>', 'tenant that owns the job; tenants take turns')
    .option(
      '--priority <number>',
      '0 (default) runs first, then lower before higher',
      createWholeNumberParser({ min: 0, max: 100 }),
    )
    .option('--idempotency-key <key>', 'repeating a request with the same key returns the same job')
    .option('--encrypt', 'encrypt all content of the job with its own key, which "erase" destroys')
    .option('-w, --wait', 'follow the job to its end and exit with its status');
  submit.hook('preAction', () => {
    const { instructions, instructionsFile } = submit.opts<SubmitOptions>();
    if (instructions !== undefined && instructionsFile !== undefined)
      submit.error('error: give either --instructions or --instructions-file, not both');
  });
  action(
    submit,
    (agent: string, options: SubmitOptions) => async (context) =>
      (await import('../job/submit.js')).submit(context, agent, options),
  );

  const list = program
    .command('list')
    .description('list jobs, newest first')
    .option(
      '-s, --status <status>',
      `only jobs with this status; may be repeated (${jobStatusNames.join(', ')})`,
      createChoiceCollector(jobStatusNames),
    )
    .option('-a, --agent <agent>', 'only jobs of this agent')
    .option('-l, --label <key[=value]>', 'only jobs with this label')
    .option('-n, --limit <count>', 'maximum number of jobs', createWholeNumberParser({ min: 1, max: 100_000 }), 20)
    .option('--watch', 'refresh every 2 s until Ctrl-C');
  action(list, (options: ListOptions) => async (context) => (await import('../job/list.js')).list(context, options));

  const status = program.command('status').description('show the current state of a job').argument('<job>', JOB);
  action(status, (job: string) => async (context) => (await import('../job/status.js')).status(context, job));

  const watch = program
    .command('watch')
    .description('follow a job live to its end and exit with its status')
    .argument('<job>', JOB);
  action(watch, (job: string) => async (context) => (await import('../job/watch.js')).watch(context, job));

  const events = program
    .command('events')
    .description('show the events of a job in order')
    .argument('<job>', JOB)
    .option('--follow', 'keep showing new events to the end of the job, then exit with its status')
    .option('--after <position>', 'only events after this position', parsePosition, 0)
    .option('-t, --type <type>', 'only events of this type; may be repeated', collectList)
    .option('-n, --limit <count>', 'maximum number of events', createWholeNumberParser({ min: 1, max: 1_000_000_000 }));
  action(
    events,
    (job: string, options: EventsOptions) => async (context) =>
      (await import('../event/events.js')).events(context, job, options),
  );

  const state = program
    .command('state')
    .description('show a job as of a position in the log: status, todos, files, usage')
    .argument('<job>', JOB)
    .option('--at <position>', 'position in the log; default: now', parsePosition);
  action(
    state,
    (job: string, options: AtOptions) => async (context) =>
      (await import('../job/show-state.js')).showState(context, job, options),
  );

  addFileCommands(program.command('files').description('the files of a job'), action);

  const cancel = program
    .command('cancel')
    .description('cancel a job')
    .argument('<job>', JOB)
    .option('--reason <text>', 'recorded in the log')
    .option('-w, --wait', 'return when the job has ended');
  action(
    cancel,
    (job: string, options: CancelOptions) => async (context) =>
      (await import('../job/cancel.js')).cancel(context, job, options),
  );

  const erase = program
    .command('erase')
    .description('permanently destroy the content of an encrypted job; its history stays in the log')
    .argument('<job>', JOB)
    .option('--reason <text>', 'recorded in the log, unencrypted')
    .option('-y, --yes', 'do not ask for confirmation');
  action(
    erase,
    (job: string, options: EraseOptions) => async (context) =>
      (await import('../erase/erase.js')).erase(context, job, options),
  );
}

function addFileCommands(files: Command, action: RegisterAction): void {
  const at = ['--at <position>', 'position in the log; default: now', parsePosition] as const;
  const list = files
    .command('list')
    .description('list the files with size and hash')
    .argument('<job>', JOB)
    .option(...at);
  action(
    list,
    (job: string, options: AtOptions) => async (context) =>
      (await import('../file/files.js')).listFiles(context, job, options),
  );

  const cat = files
    .command('cat')
    .description('print a file')
    .argument('<job>', JOB)
    .argument('<path>', 'path in the workspace')
    .option(...at);
  action(
    cat,
    (job: string, path: string, options: AtOptions) => async (context) =>
      (await import('../file/files.js')).catFile(context, job, path, options),
  );

  const pull = files
    .command('pull')
    .description('copy files to a local folder')
    .argument('<job>', JOB)
    .argument('[paths...]', 'only these files and folders')
    .option('--out <folder>', 'target folder; default: job_<id> in the current folder')
    .option('--force', 'replace existing files that differ')
    .option(...at);
  action(
    pull,
    (job: string, paths: string[], options: PullOptions) => async (context) =>
      (await import('../file/files.js')).pull(context, job, paths, options),
  );
}
