import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { addServerAuditCommands } from './server-audit-commands.js';
import { addHoldCommands } from './hold-commands.js';
import { addRetentionCommands } from './retention-commands.js';
import { addJobChoice } from './job-choice-options.js';
import { collectValue, collectList, createWholeNumberParser } from './option-values.js';

/** Adds the commands that audit and maintain the log, most of which read it directly and need no server. */
export function addLogCommands(program: Command, action: RegisterAction): void {
  const audit = program.command('audit').description('verify, anchor and export the log');
  const verify = audit
    .command('verify')
    .description('recompute every hash of the log and its files (DATABASE_URL, else the local stack)')
    .option('--job <job>', 'verify only the streams of this job')
    .option('--export <folder>', 'verify an export instead of the log; needs no database')
    .option('--key <file>', 'public key that anchors must be signed with (may be repeated)', collectValue)
    .option(
      '--receipt <file>',
      'file or folder of receipts whose anchors must be in the log (may be repeated; default: PHASELINE_AUDIT_RECEIPTS_DIR)',
      collectValue,
    )
    .option('--no-files', 'skip the content of files and long texts, which takes most of the time')
    .option('--claims', 'derive every accepted claim again from the log: todos, phases and jobs that were completed');
  action(verify, async () => (await import('../audit/verify.js')).verify);
  const anchor = audit
    .command('anchor')
    .description('write signed anchors that cover the new events of the log')
    .option('--out <file>', 'write a receipt of the last anchor, to keep elsewhere');
  action(anchor, async () => (await import('../audit/write-anchor.js')).writeAnchor);
  const key = audit
    .command('key')
    .description(
      'print the public key for anchors written on this machine (PHASELINE_AUDIT_KEY_FILE, else PHASELINE_HOME)',
    )
    .option('--out <file>', 'write the key to a file');
  action(key, async () => (await import('../audit/key.js')).showKey);
  const exportCommand = audit
    .command('export')
    .description('export the log, or some of its jobs, as CloudEvents with anchors and a signed manifest')
    .argument('[job...]', 'jobs to export; default: the whole log')
    .requiredOption('--out <folder>', 'new folder; a name that ends in .jsonl writes only the events, to that file')
    .option('--with-files', 'include the content of files and long texts')
    .option('--source <uri>', 'source of the CloudEvents (default: urn:phaseline)');
  action(exportCommand, async () => (await import('../audit/export.js')).exportAudit);
  addServerAuditCommands(audit, action);

  const backup = program
    .command('backup')
    .description('back up the database (DATABASE_URL, else the local stack) to a folder while services run')
    .argument('<folder>', 'new folder');
  action(backup, async () => (await import('../backup/backup.js')).backup);
  const restore = program
    .command('restore')
    .description(
      'restore a backup into an empty database (DATABASE_URL as its owner, else PHASELINE_HOME) and verify the log',
    )
    .argument('<folder>', 'folder written by `phaseline backup`');
  action(restore, async () => (await import('../backup/restore.js')).restore);

  addRetentionCommands(program, action);
  addHoldCommands(program, action);

  const release = addJobChoice(
    program
      .command('check-release')
      .description(
        'decide recorded jobs again with this release, and list every decision that differs; needs no server',
      ),
  );
  action(release, async () => (await import('../release/check-release.js')).checkRelease);

  const doctor = program
    .command('doctor')
    .description('check everything that can keep jobs from running, and say what to do; needs no server')
    .option(
      '--fix',
      'send missing messages, remove orphaned ones, release quarantined jobs, drop wrong snapshots; then check again',
    )
    .option('--only <check>', 'run only this check; may be repeated', collectList);
  action(doctor, async () => (await import('../doctor/doctor.js')).doctor);

  const encryption = program.command('encryption').description('the keys of encrypted jobs');
  const rewrap = encryption
    .command('rewrap')
    .description('rewrap the keys of all encrypted jobs with the newest master key; needs no server');
  action(rewrap, async () => (await import('../erase/rewrap.js')).rewrap);

  const blobs = program.command('blobs').description('stored content of files and long texts');
  const collect = blobs
    .command('collect')
    .description('remove blobs that nothing in the log refers to; needs no server')
    .option('--dry-run', 'only report what would be removed')
    .option(
      '--grace-hours <hours>',
      'keep blobs stored within this many hours (default: 24)',
      createWholeNumberParser(2, 8_760),
    );
  action(collect, async () => (await import('../blobs/collect.js')).collect);
}
