import { promotionCauses } from '@phaseline/contracts';
import { Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { addJobChoice } from './job-choice-options.js';
import { createWholeNumberParser, parseDuration } from './option-values.js';

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
  const backtest = addJobChoice(
    guards
      .command('backtest')
      .description(
        'ask a rule, a script or commands about recorded calls: what they would have decided, what became of the calls, and what being wrong would have cost; needs no server without --record',
      )
      .argument(
        '<file>',
        'file of a rule or a script, as in the folder guards of an agent; with --execute, folder of a guard set; with --record, name of a stored guard',
      )
      .option(
        '--execute',
        'run the commands of a guard set on their recorded inputs, in the sandbox, without a network and secrets',
      )
      .option(
        '--record',
        'let the server do it with a stored guard, and record the figures; takes a draft to the stage backtest',
      )
      .option('--number <number>', 'number of the version; default: the newest', createWholeNumberParser(1, 1_000))
      .option(
        '--cases <folder>',
        'run the cases of a folder or an agent instead, without the guard and with it in production; with --record also, and record which ones it breaks',
      ),
  );
  withPlace(backtest);
  action(backtest, async () => (await import('../guard/backtest/backtest-guard.js')).backtestGuard);
  addStoredGuardCommands(guards, action);
  action(importCommand, async () => (await import('../guard/import-guards.js')).importGuards);
}

const REASON = 'why; recorded in the log';

/** Adds the commands about guards of tenants and of the installation, and about overrides. */
function addStoredGuardCommands(guards: Command, action: RegisterAction): void {
  const list = guards
    .command('list')
    .description('list the guards of the installation and of tenants')
    .option('--tenant <tenant>', 'only this tenant, and the installation');
  action(list, async () => (await import('../guard/stored-guards.js')).listGuards);
  const show = withPlace(
    guards
      .command('show')
      .description('show a guard with its versions and the changes of their stages')
      .argument('<name>', 'name of the guard'),
  );
  action(show, async () => (await import('../guard/stored-guards.js')).showGuard);
  const add = withPlace(
    guards
      .command('add')
      .description('add a version of a guard as a draft, which is never asked')
      .argument('<file>', 'file of a rule or a script, as in the folder guards of an agent; its stage is not used'),
  );
  action(add, async () => (await import('../guard/stored-guards.js')).addGuard);
  const promote = withPlace(
    guards
      .command('promote')
      .description(
        'put a version that another person wrote and a backtest tried into shadow, where it is recorded without effect, or production',
      )
      .argument('<name>', 'name of the guard')
      .requiredOption('--reason <reason>', REASON)
      .option('--cause <cause>', `required: ${Object.keys(promotionCauses).join(', ')}`)
      .option('--figure <figure>', "required: the figure that shows the cause, such as '5 of 6 approvals refused'")
      .addOption(new Option('--to <stage>', 'default: the next stage of the version').choices(['shadow', 'production']))
      .option('--number <number>', 'number of the version; default: the newest', createWholeNumberParser(1, 1_000)),
  );
  action(promote, async () => (await import('../guard/stored-guards.js')).promoteGuard);
  const rollback = withPlace(
    guards
      .command('rollback')
      .description('take the version in production out of effect; the one before it returns')
      .argument('<name>', 'name of the guard')
      .requiredOption('--reason <reason>', REASON),
  );
  action(rollback, async () => (await import('../guard/stored-guards.js')).rollBackGuard);
  const override = guards
    .command('override')
    .description('let the calls of one job pass a guard for some time; what it decides is still recorded')
    .argument('<name>', 'name of the guard')
    .requiredOption('--job <job>', 'job id, or a unique prefix of it')
    .requiredOption('--reason <reason>', REASON)
    .addOption(
      new Option('--scope <scope>', 'needed if guards of several scopes have the name').choices([
        'system',
        'tenant',
        'agent',
      ]),
    )
    .option('--expires <duration>', 'such as 30m or 1h; at most 24h; default: 1h', parseDuration)
    .option('--revoke', 'end the overrides of the guard in this job now');
  action(override, async () => (await import('../guard/override-guard.js')).overrideGuard);
}

function withPlace(command: Command): Command {
  return command
    .option(
      '--tenant <tenant>',
      'tenant of the guard; default: "default", or the only tenant in which you have the right',
    )
    .option('--system', 'a guard of the installation');
}
