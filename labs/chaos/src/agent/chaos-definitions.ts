import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RESULT_FILE } from './chaos-job.js';
import { ASK_TOOL, COMMAND_TOOL, createChaosPack, DELEGATE_TOOL, ONCE_TOOL } from './chaos-pack.js';
import { writeGuardSet } from './chaos-guards.js';
import { ROUND_VERIFIER, VERIFIERS } from './chaos-verifiers.js';

export const CHAOS_AGENT = 'chaos';
/** Like the chaos agent, but it asks a person in each round, and a person has to approve its payments. */
const ASKING_AGENT = 'chaos-asking';

/** Like the chaos agent, but it also runs a command for each todo. */
export const COMMANDS_AGENT = 'chaos-commands';

/**
 * Like the chaos agent, but hooks are asked about each call and claim, a verifier must pass for each todo, and another one for the end of each
 * round.
 */
export const CHECKED_AGENT = 'chaos-checked';

/** Like the chaos agent, but it delegates a part of each round to CHILD_AGENT. */
export const DELEGATING_AGENT = 'chaos-delegating';

/** Does one round with one todo. */
export const CHILD_AGENT = 'chaos-child';

/** The agents of the jobs that a run submits, in turn. */
export const CHAOS_AGENTS = [CHAOS_AGENT, CHECKED_AGENT, ASKING_AGENT, DELEGATING_AGENT, COMMANDS_AGENT] as const;

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
  await writeAgent(agentsDir, DELEGATING_AGENT, '', [DELEGATE_TOOL]);
  await writeAgent(agentsDir, CHILD_AGENT, '');
  await writeAgent(agentsDir, CHECKED_AGENT, '', [], CHECKED_WORKFLOW);
  const checked = join(agentsDir, CHECKED_AGENT);
  await mkdir(join(checked, 'verifiers'));
  for (const [file, text] of Object.entries(VERIFIERS)) await writeFile(join(checked, 'verifiers', file), text);
  await writeGuardSet(checked);
  await writeFile(join(workflowsDir, `${WORKFLOW}.yaml`), renderWorkflow(WORKFLOW, ''));
  await writeFile(
    join(workflowsDir, `${CHECKED_WORKFLOW}.yaml`),
    renderWorkflow(CHECKED_WORKFLOW, `, checks: [{ verifier: ${ROUND_VERIFIER} }]`),
  );
  return { agentsDir, workflowsDir };
}

const WORKFLOW = 'rounds';
const CHECKED_WORKFLOW = 'checked-rounds';

/** The workflow of rounds. `ofRound` are more members of the outcome with which a round ends. */
function renderWorkflow(name: string, ofRound: string): string {
  return `name: ${name}
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
      done: { to: plan${ofRound} }
    retries: 5
    archive: true
caps:
  phases: 60
`;
}

async function writeAgent(
  agentsDir: string,
  name: string,
  more: string,
  tools: readonly string[] = [],
  workflow = WORKFLOW,
): Promise<void> {
  const offered = [...createChaosPack('').tools.map((tool) => tool.name), ...tools];
  await mkdir(join(agentsDir, name), { recursive: true });
  await writeFile(
    join(agentsDir, name, 'agent.yaml'),
    `name: ${name}
displayName: Chaos
description: Does small work whose effects can be counted.
workflow: ${workflow}
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
