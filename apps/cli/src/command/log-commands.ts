import type { Command } from 'commander';
import type { VerifyOptions } from '../audit/verify.js';
import type { Action } from './build-program.js';

/** The commands that look at the log and at the definitions without a server. */
export function addLogCommands(program: Command, action: Action): void {
  const audit = program.command('audit').description('checks of the log');
  const verify = audit
    .command('verify')
    .description('recompute every hash of the log (DATABASE_URL, else the local stack)')
    .option('--job <job>', 'only the streams of this job');
  action(
    verify,
    (options: VerifyOptions) => async (context) => (await import('../audit/verify.js')).verify(context, options),
  );

  const agents = program.command('agents').description('the agent definitions of this machine');
  const list = agents.command('list').description('name, workflow and models of each');
  action(list, () => async (context) => (await import('../agent/agents.js')).listAgents(context));
  const validate = agents
    .command('validate')
    .description('check agents, workflows and model profiles; exit code 1 when something is wrong');
  action(validate, () => async (context) => (await import('../agent/agents.js')).validateAgents(context));
}
