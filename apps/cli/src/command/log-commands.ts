import type { Command } from 'commander';
import type { ExportOptions } from '../audit/export.js';
import type { KeyOptions } from '../audit/key.js';
import type { AnchorOptions } from '../audit/write-anchor.js';
import type { VerifyOptions } from '../audit/verify.js';
import type { CollectOptions } from '../blobs/collect.js';
import type { DoctorOptions } from '../doctor/doctor.js';
import type { RegisterAction } from './command-action.js';
import { collectValue, collectList, createWholeNumberParser } from './option-values.js';

/** Adds the commands that read the log directly and need no server. */
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
    .option('--no-files', 'skip the content of files and long texts, which takes most of the time');
  action(
    verify,
    (options: VerifyOptions) => async (context) => (await import('../audit/verify.js')).verify(context, options),
  );
  const anchor = audit
    .command('anchor')
    .description('write signed anchors that cover the new events of the log')
    .option('--out <file>', 'write a receipt of the last anchor, to keep elsewhere');
  action(
    anchor,
    (options: AnchorOptions) => async (context) =>
      (await import('../audit/write-anchor.js')).writeAnchor(context, options),
  );
  const key = audit
    .command('key')
    .description(
      'print the public key for anchors written on this machine (PHASELINE_AUDIT_KEY_FILE, else PHASELINE_HOME)',
    )
    .option('--out <file>', 'write the key to a file');
  action(key, (options: KeyOptions) => async (context) => (await import('../audit/key.js')).showKey(context, options));
  const exportCommand = audit
    .command('export')
    .description('export the log, or some of its jobs, as CloudEvents with anchors and a signed manifest')
    .argument('[job...]', 'jobs to export; default: the whole log')
    .requiredOption('--out <folder>', 'new folder; a name that ends in .jsonl writes only the events, to that file')
    .option('--with-files', 'include the content of files and long texts')
    .option('--source <uri>', 'source of the CloudEvents (default: urn:phaseline)');
  action(
    exportCommand,
    (jobs: readonly string[], options: ExportOptions) => async (context) =>
      (await import('../audit/export.js')).exportAudit(context, jobs, options),
  );

  const backup = program
    .command('backup')
    .description('back up the database (DATABASE_URL, else the local stack) to a folder while services run')
    .argument('<folder>', 'new folder');
  action(backup, (folder: string) => async (context) => (await import('../backup/backup.js')).backup(context, folder));
  const restore = program
    .command('restore')
    .description(
      'restore a backup into an empty database (DATABASE_URL as its owner, else PHASELINE_HOME) and verify the log',
    )
    .argument('<folder>', 'folder written by `phaseline backup`');
  action(
    restore,
    (folder: string) => async (context) => (await import('../backup/restore.js')).restore(context, folder),
  );

  const doctor = program
    .command('doctor')
    .description('check everything that can keep jobs from running, and say what to do; needs no server')
    .option(
      '--fix',
      'send missing messages, remove orphaned ones, release quarantined jobs, drop wrong snapshots; then check again',
    )
    .option('--only <check>', 'run only this check; may be repeated', collectList);
  action(
    doctor,
    (options: DoctorOptions) => async (context) => (await import('../doctor/doctor.js')).doctor(context, options),
  );

  const encryption = program.command('encryption').description('the keys of encrypted jobs');
  const rewrap = encryption
    .command('rewrap')
    .description('rewrap the keys of all encrypted jobs with the newest master key; needs no server');
  action(rewrap, () => async (context) => (await import('../erase/rewrap.js')).rewrap(context));

  const blobs = program.command('blobs').description('stored content of files and long texts');
  const collect = blobs
    .command('collect')
    .description('remove blobs that nothing in the log refers to; needs no server')
    .option('--dry-run', 'only report what would be removed')
    .option(
      '--grace-hours <hours>',
      'keep blobs stored within this many hours (default: 24)',
      createWholeNumberParser({ min: 2, max: 8_760 }),
    );
  action(
    collect,
    (options: CollectOptions) => async (context) => (await import('../blobs/collect.js')).collect(context, options),
  );
}
