import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';

/** Adds the commands about agent definitions. None of them needs a server. */
export function addAgentCommands(program: Command, action: RegisterAction): void {
  const agents = program.command('agents').description('the agent definitions of this machine');
  const list = agents
    .command('list')
    .description('list agents with their workflow and models; exit code 1 if one is broken');
  action(list, async () => (await import('../agents/list-agents.js')).listAgents);
  const validate = agents
    .command('validate')
    .description('check agents, workflows and model profiles; exit code 1 if one is invalid')
    .argument('[agent]', 'name of an agent, its folder, or a folder of agents')
    .option('--tenant <tenant>', 'tenant whose secrets are compared with those that agents need', 'default');
  action(validate, async () => (await import('../agents/validate-agents.js')).validateAgents);
  const show = agents
    .command('show')
    .description('show a definition, its source files and its hash')
    .argument('<agent>', 'name of the agent')
    .option('--resolved', 'as jobs receive it: merged with the definitions it extends, with all defaults');
  action(show, async () => (await import('../agents/show-agent.js')).showAgent);
  const schema = agents.command('schema').description('print the JSON Schema of a definition, for editors');
  action(schema, async () => (await import('../agents/agent-schema.js')).showAgentSchema);
}
