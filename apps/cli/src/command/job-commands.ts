import { Option, type Command } from 'commander';
import type { SubmitOptions } from '../job/submit.js';
import type { RegisterAction } from './command-action.js';
import { addJobFilterOptions } from './job-filter-options.js';
import {
  collectValue,
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
    .option('--verifiers <file>', "YAML or JSON file with verifiers that replace the agent's, by name")
    .option('--budget-usd <amount>', 'cost limit of the job in US dollars', parseDollars)
    .option('-l, --label <key=value>', 'label; may be repeated', collectLabel)
    .option('--tenant <name>', 'tenant that owns the job; tenants take turns')
    .option('--priority <number>', '0 (default) runs first, then lower before higher', createWholeNumberParser(0, 100))
    .option('--idempotency-key <key>', 'repeating a request with the same key returns the same job')
    .option('--encrypt', 'encrypt all content of the job with its own key, which "erase" destroys')
    .option('--repository <path or url>', 'repository to work on: a local path, or an https URL')
    .option('--ref <name>', 'branch, tag or commit of the repository; default: its head')
    .option('--repository-secret <name>', 'secret with the access token of the repository')
    .option('-w, --wait', 'follow the job to its end and exit with its status')
    .option(
      '--then <agent>',
      'wait, and then follow the jobs of an agent that are started for what the job handed over',
    );
  submit.hook('preAction', () => {
    const { instructions, instructionsFile } = submit.opts<SubmitOptions>();
    if (instructions !== undefined && instructionsFile !== undefined)
      submit.error('error: give either --instructions or --instructions-file, not both');
  });
  submit.hook('preAction', () => {
    const { repository, ref, repositorySecret } = submit.opts<SubmitOptions>();
    if (repository === undefined && (ref !== undefined || repositorySecret !== undefined))
      submit.error('error: --ref and --repository-secret need --repository');
  });
  action(submit, async () => (await import('../job/submit.js')).submit);

  const list = addJobFilterOptions(program.command('list').description('list jobs, newest first'))
    .addOption(
      new Option(
        '--sort <order>',
        'newest first by default; cost: highest first; waiting: longest first, only jobs that wait',
      ).choices(['newest', 'oldest', 'cost', 'waiting']),
    )
    .option('-n, --limit <count>', 'maximum number of jobs', createWholeNumberParser(1, 100_000), 20)
    .option('--watch', 'refresh every 2 s until Ctrl-C');
  action(list, async () => (await import('../job/list.js')).list);

  const status = program.command('status').description('show the current state of a job').argument('<job>', JOB);
  action(status, async () => (await import('../job/status.js')).status);

  const watch = program
    .command('watch')
    .description('follow a job live to its end and exit with its status')
    .argument('<job>', JOB);
  action(watch, async () => (await import('../job/watch.js')).watch);

  const events = program
    .command('events')
    .description('show the events of a job in order')
    .argument('<job>', JOB)
    .option('--follow', 'keep showing new events to the end of the job, then exit with its status')
    .option('--after <position>', 'only events after this position', parsePosition, 0)
    .option('-t, --type <type>', 'only events of this type; may be repeated', collectList)
    .option('-n, --limit <count>', 'maximum number of events', createWholeNumberParser(1, 1_000_000_000));
  action(events, async () => (await import('../event/events.js')).events);

  const state = program
    .command('state')
    .description('show a job as of a position in the log: status, todos, files, usage')
    .argument('<job>', JOB)
    .option('--at <position>', 'position in the log; default: now', parsePosition);
  action(state, async () => (await import('../job/show-state.js')).showState);

  addFileCommands(program.command('files').description('the files of a job'), action);

  const erase = program
    .command('erase')
    .description('permanently destroy the content of an encrypted job; its history stays in the log')
    .argument('<job>', JOB)
    .option('--reason <text>', 'recorded in the log, unencrypted')
    .option('-y, --yes', 'do not ask for confirmation');
  action(erase, async () => (await import('../erase/erase.js')).erase);
}

function addFileCommands(files: Command, action: RegisterAction): void {
  const at = ['--at <position>', 'position in the log; default: now', parsePosition] as const;
  const list = files
    .command('list')
    .description('list the files with size and hash')
    .argument('<job>', JOB)
    .option(...at);
  action(list, async () => (await import('../file/files.js')).listFiles);

  const cat = files
    .command('cat')
    .description('print a file')
    .argument('<job>', JOB)
    .argument('<path>', 'path in the workspace')
    .option(...at);
  action(cat, async () => (await import('../file/files.js')).catFile);

  const pull = files
    .command('pull')
    .description('copy files to a local folder')
    .argument('<job>', JOB)
    .argument('[paths...]', 'only these files and folders')
    .option('--out <folder>', 'target folder; default: job_<id> in the current folder')
    .option('--force', 'replace existing files that differ')
    .option(...at);
  action(pull, async () => (await import('../file/files.js')).pull);

  const put = files
    .command('put')
    .description('write a file of a job that has not ended; the agent is told who wrote it')
    .argument('<job>', JOB)
    .argument('<path>', 'path in the workspace')
    .option('--from <file>', 'local file; default: standard input')
    .option('--executable', 'make the file executable')
    .option('--if-match <hash>', 'only if the file has this hash, as listed by files list --json')
    .option('--new', 'only if there is no such file')
    .option('--reason <text>', 'told to the agent, and recorded');
  action(put, async () => (await import('../file/edit-files.js')).putFile);

  const remove = files
    .command('delete')
    .description('delete a file of a job that has not ended; the agent is told who deleted it')
    .argument('<job>', JOB)
    .argument('<path>', 'path in the workspace')
    .option('--if-match <hash>', 'only if the file has this hash, as listed by files list --json')
    .option('--reason <text>', 'told to the agent, and recorded');
  action(remove, async () => (await import('../file/edit-files.js')).deleteFile);
}
