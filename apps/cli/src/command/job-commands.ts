import type { Command } from 'commander';
import type { CancelOptions } from '../job/cancel.js';
import type { ListOptions } from '../job/list.js';
import type { EraseOptions } from '../erase/erase.js';
import type { SubmitOptions } from '../job/submit.js';
import type { AtOptions, PullOptions } from '../file/files.js';
import type { EventsOptions } from '../event/events.js';
import type { Action } from './build-program.js';
import { jobStatusNames } from './job-status-names.js';
import { appended, appendedChoice, appendedList, dollars, label, position, wholeNumber } from './option-values.js';

const JOB = 'id of the job, or the beginning of it';

/** The commands that ask a server about jobs. */
export function addJobCommands(program: Command, action: Action): void {
  const submit = program
    .command('submit')
    .description('ask for a job')
    .argument('<agent>', 'name of the agent, such as creator')
    .option('-d, --document <file>', 'a document for the job; may be repeated', appended)
    .option('-i, --instructions <text>', "added to the agent's own instructions")
    .option('-f, --instructions-file <file>', 'the same from a file; - is standard input')
    .option('--budget-usd <amount>', 'the most that the job may cost, in US dollars', dollars)
    .option('-l, --label <key=value>', 'a label; may be repeated', label)
    .option('--tenant <name>', 'whose job it is; tenants take turns')
    .option('--priority <number>', '0 (the default) first, then lower before higher', wholeNumber({ min: 0, max: 100 }))
    .option(
      '--idempotency-key <key>',
      'the same key with the same request gives the same job, however often it is sent',
    )
    .option('--encrypt', 'store all that the job holds encrypted, under a key of its own; "erase" destroys it')
    .option('-w, --wait', 'show the job to its end and answer with its exit code');
  submit.hook('preAction', () => {
    const { instructions, instructionsFile } = submit.opts<SubmitOptions>();
    if (instructions !== undefined && instructionsFile !== undefined)
      submit.error('error: --instructions and --instructions-file cannot be given both');
  });
  action(
    submit,
    (agent: string, options: SubmitOptions) => async (context) =>
      (await import('../job/submit.js')).submit(context, agent, options),
  );

  const list = program
    .command('list')
    .description('jobs, newest first')
    .option(
      '-s, --status <status>',
      `only of this status; may be repeated (${jobStatusNames.join(', ')})`,
      appendedChoice(jobStatusNames),
    )
    .option('-a, --agent <agent>', 'only of this agent')
    .option('-l, --label <key[=value]>', 'only with this label')
    .option('-n, --limit <count>', 'how many at most', wholeNumber({ min: 1, max: 100_000 }), 20)
    .option('--watch', 'look again every 2 s, until Ctrl-C');
  action(list, (options: ListOptions) => async (context) => (await import('../job/list.js')).list(context, options));

  const status = program.command('status').description('one job as it is now').argument('<job>', JOB);
  action(status, (job: string) => async (context) => (await import('../job/status.js')).status(context, job));

  const watch = program
    .command('watch')
    .description('show a job live to its end and answer with its exit code')
    .argument('<job>', JOB);
  action(watch, (job: string) => async (context) => (await import('../job/watch.js')).watch(context, job));

  const events = program
    .command('events')
    .description('the events of a job, in order')
    .argument('<job>', JOB)
    .option('--follow', 'go on with what comes, to the end of the job; answers with its exit code')
    .option('--after <position>', 'only events behind this position', position, 0)
    .option('-t, --type <type>', 'only events of this type; may be repeated', appendedList)
    .option('-n, --limit <count>', 'how many at most', wholeNumber({ min: 1, max: 1_000_000_000 }));
  action(
    events,
    (job: string, options: EventsOptions) => async (context) =>
      (await import('../event/events.js')).events(context, job, options),
  );

  const replay = program
    .command('replay')
    .description('a job as its events tell it: status, todos, files, spending')
    .argument('<job>', JOB)
    .option('--at <position>', 'as of this position in the log; now where it is missing', position);
  action(
    replay,
    (job: string, options: AtOptions) => async (context) =>
      (await import('../job/replay.js')).replay(context, job, options),
  );

  addFileCommands(program.command('files').description('the files of a job'), action);

  const cancel = program
    .command('cancel')
    .description('ask for the end of a job')
    .argument('<job>', JOB)
    .option('--reason <text>', 'kept in the log')
    .option('-w, --wait', 'return when it has ended');
  action(
    cancel,
    (job: string, options: CancelOptions) => async (context) =>
      (await import('../job/cancel.js')).cancel(context, job, options),
  );

  const erase = program
    .command('erase')
    .description('destroy what an encrypted job held, for good; how it went stays in the log')
    .argument('<job>', JOB)
    .option('--reason <text>', 'kept in the log, readable')
    .option('-y, --yes', 'do not ask');
  action(
    erase,
    (job: string, options: EraseOptions) => async (context) =>
      (await import('../erase/erase.js')).erase(context, job, options),
  );
}

function addFileCommands(files: Command, action: Action): void {
  const at = ['--at <position>', 'as of this position in the log; now where it is missing', position] as const;
  const list = files
    .command('list')
    .description('path, size and hash of each')
    .argument('<job>', JOB)
    .option(...at);
  action(
    list,
    (job: string, options: AtOptions) => async (context) =>
      (await import('../file/files.js')).listFiles(context, job, options),
  );

  const cat = files
    .command('cat')
    .description('the bytes of a file')
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
    .description('copy files into a folder')
    .argument('<job>', JOB)
    .argument('[paths...]', 'only these files and folders')
    .option('--into <folder>', 'where to; default: job_<id> in the current folder')
    .option('--force', 'replace files that are there and differ')
    .option(...at);
  action(
    pull,
    (job: string, paths: string[], options: PullOptions) => async (context) =>
      (await import('../file/files.js')).pull(context, job, paths, options),
  );
}
