import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';

/** Adds the commands about guards. */
export function addGuardCommands(program: Command, action: RegisterAction): void {
  const guards = program
    .command('guards')
    .description('rules, scripts and hooks that decide about calls and ends of phases');
  const importCommand = guards
    .command('import')
    .description('import hooks of Claude Code; exit code 1 if something is invalid or never fires here')
    .argument('<folder>', 'folder with settings.json and the scripts of its hooks, such as .claude')
    .option('--agent <name>', 'agent that gets the guard set; without it, nothing is written')
    .option('--name <name>', 'name of the guard set; default: the name of the folder')
    .option('--owner <owner>', 'person or team that answers for the hooks')
    .option('--allow-unsupported', 'import the rest when something never fires here');
  action(importCommand, async () => (await import('../guard/import-guards.js')).importGuards);
}
