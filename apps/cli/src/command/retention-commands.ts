import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import type { SetRetentionOptions } from '../retention/retention.js';
import { createWholeNumberParser } from './option-values.js';

/** Adds the commands about how long files of ended jobs are kept. */
export function addRetentionCommands(program: Command, action: RegisterAction): void {
  const retention = program
    .command('retention')
    .description('remove the files of ended jobs, or move their events to cold storage, after a time per tenant');
  const run = retention
    .command('run')
    .description(
      'remove what is older than its tenant keeps it, and move events to cold storage, now; the service does so once per day',
    )
    .option('--dry-run', 'only show what would be removed and moved')
    .option('--tenant <tenant>', 'only jobs of this tenant; default: all tenants in which you have the right');
  action(run, async () => (await import('../retention/retention.js')).runRetention);
  const status = retention
    .command('status')
    .description('show how long tenants keep what ended jobs leave behind, and the newest run');
  action(status, async () => (await import('../retention/retention.js')).showRetention);
  const set = retention
    .command('set')
    .description('set how long a tenant keeps what ended jobs leave behind; default: for ever')
    .argument('<tenant>', 'name of the tenant')
    .option('--files-days <days>', 'days after the end of a job', createWholeNumberParser(0, 36_500))
    .option('--vectors-days <days>', 'the same for vectors; default: as the files', createWholeNumberParser(0, 36_500))
    .option(
      '--learning-days <days>',
      'the same for learning traces that nobody promoted; default: for ever',
      createWholeNumberParser(0, 36_500),
    )
    .option(
      '--cold-days <days>',
      'days after the end of a job after which its events move to cold storage; default: never',
      createWholeNumberParser(0, 36_500),
    )
    .option('--keep', 'keep everything for ever');
  set.hook('preAction', () => {
    const { filesDays, vectorsDays, learningDays, coldDays, keep } = set.opts<SetRetentionOptions>();
    if (((filesDays ?? vectorsDays ?? learningDays ?? coldDays) === undefined) === (keep === undefined))
      set.error(
        'error: give --files-days, --vectors-days, --learning-days, --cold-days or several of them, or else --keep',
      );
  });
  action(set, async () => (await import('../retention/retention.js')).setRetention);
}
