import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';

/** Adds the commands about legal holds. */
export function addHoldCommands(program: Command, action: RegisterAction): void {
  const holds = program.command('holds').description('legal holds: nothing of a held job is removed or erased');
  const change = (name: string, description: string): Command =>
    holds
      .command(name)
      .description(description)
      .argument('<job>', 'id of the job, or its beginning')
      .requiredOption('--reason <text>', 'why, for the log');
  const place = change('place', 'place a hold on a job');
  action(place, async () => (await import('../retention/holds.js')).placeHold);
  const release = change('release', 'release the hold on a job');
  action(release, async () => (await import('../retention/holds.js')).releaseHold);
  const list = holds.command('list').description('show the holds on jobs');
  list.option('--tenant <tenant>', 'only jobs of this tenant; default: all tenants in which you have the right');
  action(list, async () => (await import('../retention/holds.js')).listHolds);
}
