import type { Command } from 'commander';
import type { ShowOptions } from '../agents/show-agent.js';
import type { Action } from './build-program.js';

/** The definitions of agents, on this machine; none of these needs a server. */
export function addAgentCommands(program: Command, action: Action): void {
  const agents = program.command('agents').description('the agent definitions of this machine');
  const list = agents.command('list').description('name, workflow and models of each; exit code 1 when one is broken');
  action(list, () => async (context) => (await import('../agents/list-agents.js')).listAgents(context));
  const validate = agents
    .command('validate')
    .description('check agents, workflows and model profiles; exit code 1 when something is wrong')
    .argument('[agent]', 'one agent by its name, or a folder of agents or of one');
  action(
    validate,
    (target: string | undefined) => async (context) =>
      (await import('../agents/validate-agents.js')).validateAgents(context, target),
  );
  const show = agents
    .command('show')
    .description('a definition, and what it is made of')
    .argument('<agent>', 'its name')
    .option('--resolved', 'as jobs get it: with what it extends, and all defaults');
  action(
    show,
    (name: string, options: ShowOptions) => async (context) =>
      (await import('../agents/show-agent.js')).showAgent(context, name, options),
  );
  const schema = agents.command('schema').description('the JSON Schema of a definition, for editors');
  action(schema, () => async (context) => (await import('../agents/agent-schema.js')).showAgentSchema(context));
}
