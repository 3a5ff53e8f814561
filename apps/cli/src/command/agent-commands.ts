import type { Command } from 'commander';
import type { ShowOptions } from '../agents/show-agent.js';
import type { RegisterAction } from './command-action.js';

/** Adds the commands about agent definitions. None of them needs a server. */
export function addAgentCommands(program: Command, action: RegisterAction): void {
  const agents = program.command('agents').description('the agent definitions of this machine');
  const list = agents
    .command('list')
    .description('list agents with their workflow and models; exit code 1 if one is broken');
  action(list, () => async (context) => (await import('../agents/list-agents.js')).listAgents(context));
  const validate = agents
    .command('validate')
    .description('check agents, workflows and model profiles; exit code 1 if one is invalid')
    .argument('[agent]', 'name of an agent, its folder, or a folder of agents');
  action(
    validate,
    (target: string | undefined) => async (context) =>
      (await import('../agents/validate-agents.js')).validateAgents(context, target),
  );
  const show = agents
    .command('show')
    .description('show a definition, its source files and its hash')
    .argument('<agent>', 'name of the agent')
    .option('--resolved', 'as jobs receive it: merged with the definitions it extends, with all defaults');
  action(
    show,
    (name: string, options: ShowOptions) => async (context) =>
      (await import('../agents/show-agent.js')).showAgent(context, name, options),
  );
  const schema = agents.command('schema').description('print the JSON Schema of a definition, for editors');
  action(schema, () => async (context) => (await import('../agents/agent-schema.js')).showAgentSchema(context));
}
