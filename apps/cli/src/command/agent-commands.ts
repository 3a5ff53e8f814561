import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { parsePosition } from './option-values.js';

/** Adds the commands about agent definitions and their cases. None of them needs a server. */
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
  const test = agents
    .command('test')
    .description('run the cases of agents with scripted or recorded models; exit code 1 if one fails; needs no server')
    .argument('[agent]', 'name of an agent, its folder, a folder of agents, or a folder of cases')
    .option('--case <name>', 'only the case of this name')
    .option(
      '--model <model>',
      'scripted or recorded: only such cases; or a profile: all cases with this real model, which costs money',
    );
  action(test, async () => (await import('../cases/test-agents.js')).testAgents);
  const show = agents
    .command('show')
    .description('show a definition, its source files and its hash')
    .argument('<agent>', 'name of the agent')
    .option('--resolved', 'as jobs receive it: merged with the definitions it extends, with all defaults');
  action(show, async () => (await import('../agents/show-agent.js')).showAgent);
  const schema = agents.command('schema').description('print the JSON Schema of a definition, for editors');
  action(schema, async () => (await import('../agents/agent-schema.js')).showAgentSchema);
  const cases = program.command('case').description('cases, which test agents');
  const add = cases
    .command('add')
    .description('make a case of a recorded job: its input and the answers up to a position; needs no server')
    .argument('<job>', 'job id (full, or a unique prefix of it)')
    .requiredOption('--at <position>', 'position in the log up to which answers are taken', parsePosition)
    .option('--name <name>', 'name of the case; default: from the job and the position')
    .option('--to <folder>', 'folder in which the folder of the case is created (default: cases)')
    .option('--expect <yaml>', 'what must be true, as YAML; default: what the job was at the position');
  action(add, async () => (await import('../cases/add-case.js')).addCase);
}
