import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser, parsePast } from './option-values.js';

const JOB = 'job id, or a unique prefix of it';

/** Adds the commands of `audit` that ask the server, and so need no access to the database. */
export function addServerAuditCommands(audit: Command, action: RegisterAction): void {
  const actions = audit
    .command('actions')
    .description('list who did what, latest first: requests of persons and keys, as the log records them')
    .option('--job <job>', `only what concerns this job: ${JOB}`)
    .option('--principal <id>', 'only what this principal did, or what was done on its behalf')
    .option('--action <type>', 'only events of this type, such as JobSubmitted')
    .option('--tenant <tenant>', 'only what concerns jobs of this tenant')
    .option('--since <time>', 'only what was done since: a duration such as 2h or 7d, or a date', parsePast)
    .option('-n, --limit <count>', 'maximum number of actions', createWholeNumberParser(1, 100_000), 50);
  action(actions, async () => (await import('../audit/list-actions.js')).listActions);
  const anchors = audit
    .command('anchors')
    .description('list the anchors of the log, newest first, and whether their receipts are kept elsewhere')
    .option('-n, --limit <count>', 'maximum number of anchors', createWholeNumberParser(1, 100_000), 20);
  action(anchors, async () => (await import('../audit/list-anchors.js')).listAnchors);
  const check = audit
    .command('check')
    .description('let the server verify the log, or one job; unlike verify, needs no access to the database')
    .option('--job <job>', `verify only the streams of this job: ${JOB}`)
    .option('--no-files', 'skip the content of files and long texts, which takes most of the time')
    .option('--no-claims', 'do not derive accepted claims again from the log');
  action(check, async () => (await import('../audit/verify-on-server.js')).verifyOnServer);
  const download = audit
    .command('download')
    .description('store the export of a job, which the server makes, as an archive that verifies without a database')
    .argument('<job>', JOB)
    .requiredOption('--out <file>', 'new file, such as job.tar.gz')
    .option('--with-files', 'include the content of files and long texts');
  action(download, async () => (await import('../audit/download-export.js')).downloadExport);
}
