import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RESULT_FILE } from './chaos-job.js';
import { ASK_TOOL, COMMAND_TOOL, createChaosPack, ONCE_TOOL } from './chaos-pack.js';

export const CHAOS_AGENT = 'chaos';
/** Like the chaos agent, but it asks a person in each round, and a person has to approve its payments. */
export const ASKING_AGENT = 'chaos-asking';

/** Like the chaos agent, but it also runs a command for each todo. */
export const COMMANDS_AGENT = 'chaos-commands';

/** A command that died with its process is run again: nothing of the first run may be left. */
const COMMAND_SETTINGS = 'settings: { commands: { shell: true, effect: idempotent } }\n';

/** Writes the YAML files of the agents and their workflow. Returns their folders. */
export async function writeDefinitions(folder: string): Promise<{ agentsDir: string; workflowsDir: string }> {
  const agentsDir = join(folder, 'agents');
  const workflowsDir = join(folder, 'workflows');
  await mkdir(workflowsDir, { recursive: true });
  await writeAgent(agentsDir, CHAOS_AGENT, '');
  await writeAgent(agentsDir, ASKING_AGENT, `approvals: { tools: [${ONCE_TOOL}] }\n`, [ASK_TOOL]);
  await writeAgent(agentsDir, COMMANDS_AGENT, COMMAND_SETTINGS, [COMMAND_TOOL]);
  await writeFile(
    join(workflowsDir, 'rounds.yaml'),
    `name: rounds
version: 1
description: Plans a round, does it, and plans the next.
start: plan
states:
  plan:
    kind: strategic
    title: Plan the next round
    todos: [Write the todos of the next round or complete the job]
    finish: planned
    completion: completed
    outcomes:
      planned: { to: execute, gates: [todos-file] }
      completed: { end: completed, gates: [deliverables] }
    retries: 5
  execute:
    kind: tactical
    title: Do the round
    todos: from-file
    finish: done
    outcomes:
      done: { to: plan }
    retries: 5
    archive: true
caps:
  phases: 60
`,
  );
  return { agentsDir, workflowsDir };
}

async function writeAgent(agentsDir: string, name: string, more: string, tools: readonly string[] = []): Promise<void> {
  const offered = [...createChaosPack('').tools.map((tool) => tool.name), ...tools];
  await mkdir(join(agentsDir, name), { recursive: true });
  await writeFile(
    join(agentsDir, name, 'agent.yaml'),
    `name: ${name}
displayName: Chaos
description: Does small work whose effects can be counted.
workflow: rounds
instructions: instructions.md
models: { strategic: rehearsal, tactical: rehearsal }
tools:
  workspace: [write_file]
  strategic: [todo_write, todo_complete, job_complete]
  tactical: [todo_complete]
  domain: [${offered.join(', ')}]
deliverables: [${RESULT_FILE}]
todos: { min: 1, max: 20 }
${more}`,
  );
  await writeFile(join(agentsDir, name, 'instructions.md'), 'Do every round.\n');
}
