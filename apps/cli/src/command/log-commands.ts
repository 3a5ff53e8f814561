import type { Command } from 'commander';
import type { ExportOptions } from '../audit/export.js';
import type { KeyOptions } from '../audit/key.js';
import type { SealOptions } from '../audit/seal.js';
import type { VerifyOptions } from '../audit/verify.js';
import type { CollectOptions } from '../blobs/collect.js';
import type { DoctorOptions } from '../doctor/doctor.js';
import type { Action } from './build-program.js';
import { appended, appendedList, wholeNumber } from './option-values.js';

/** The commands that look at the log without a server. */
export function addLogCommands(program: Command, action: Action): void {
  const audit = program.command('audit').description('checks, seals and exports of the log');
  const verify = audit
    .command('verify')
    .description('recompute every hash of the log and of its files (DATABASE_URL, else the local stack)')
    .option('--job <job>', 'only the streams of this job')
    .option('--export <folder>', 'an export instead of the log; needs no database')
    .option('--key <file>', 'a public key that seals must be signed with (may be repeated)', appended)
    .option(
      '--receipt <file>',
      'receipts of seals that must be in the log: a file or a folder (may be repeated; default: PHASELINE_AUDIT_RECEIPTS)',
      appended,
    )
    .option('--no-files', 'leave out the content of files and long texts, which takes most of the time');
  action(
    verify,
    (options: VerifyOptions) => async (context) => (await import('../audit/verify.js')).verify(context, options),
  );
  const seal = audit
    .command('seal')
    .description('seal what is new in the log')
    .option('--out <file>', 'write a receipt of the last seal, to be kept elsewhere');
  action(seal, (options: SealOptions) => async (context) => (await import('../audit/seal.js')).seal(context, options));
  const key = audit
    .command('key')
    .description('the public key that this machine seals with (PHASELINE_AUDIT_KEY, else PHASELINE_HOME)')
    .option('--out <file>', 'write it into a file');
  action(key, (options: KeyOptions) => async (context) => (await import('../audit/key.js')).showKey(context, options));
  const exporting = audit
    .command('export')
    .description('the log, or some jobs of it, as CloudEvents with seals and a signed manifest')
    .argument('[job...]', 'jobs; without any, the whole log')
    .requiredOption('--out <folder>', 'a new folder; a name that ends in .jsonl gets the bare events')
    .option('--with-files', 'also the bytes of files and long texts')
    .option('--source <uri>', 'source of the CloudEvents (default: urn:phaseline)');
  action(
    exporting,
    (jobs: readonly string[], options: ExportOptions) => async (context) =>
      (await import('../audit/export.js')).exportAudit(context, jobs, options),
  );

  const backup = program
    .command('backup')
    .description('one moment of the database (DATABASE_URL, else the local stack) in a folder; nobody has to stop')
    .argument('<folder>', 'a new folder');
  action(backup, (folder: string) => async (context) => (await import('../backup/backup.js')).backup(context, folder));
  const restore = program
    .command('restore')
    .description(
      'fill an empty database (DATABASE_URL as its owner, else PHASELINE_HOME) from a backup, and verify the log',
    )
    .argument('<folder>', 'a folder that `phaseline backup` wrote');
  action(
    restore,
    (folder: string) => async (context) => (await import('../backup/restore.js')).restore(context, folder),
  );

  const doctor = program
    .command('doctor')
    .description('look at everything that keeps jobs from going on, and say what to do; needs no server')
    .option('--mend', 'send what is missing, take out what is left over, release what was set aside; then look again')
    .option('--only <check>', 'only this check; may be repeated', appendedList);
  action(
    doctor,
    (options: DoctorOptions) => async (context) => (await import('../doctor/doctor.js')).doctor(context, options),
  );

  const encryption = program.command('encryption').description('the keys of encrypted jobs');
  const rewrap = encryption
    .command('rewrap')
    .description('wrap the keys of all encrypted jobs with the newest master key; needs no server');
  action(rewrap, () => async (context) => (await import('../erase/rewrap.js')).rewrap(context));

  const blobs = program.command('blobs').description('the bytes of files and long texts');
  const collect = blobs
    .command('collect')
    .description('remove what nothing in the log refers to; needs no server')
    .option('--dry-run', 'only say how much it would be')
    .option(
      '--grace <hours>',
      'keep what was stored within this time (default: 24)',
      wholeNumber({ min: 2, max: 8_760 }),
    );
  action(
    collect,
    (options: CollectOptions) => async (context) => (await import('../blobs/collect.js')).collect(context, options),
  );
}
