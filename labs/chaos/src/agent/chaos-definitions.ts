import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RESULT_FILE } from './chaos-job.js';
import { createChaosPack } from './chaos-pack.js';

export const CHAOS_AGENT = 'chaos';

/** Writes the YAML files of the agent and its workflow. Returns their folders. */
export async function writeDefinitions(folder: string): Promise<{ agentsDir: string; workflowsDir: string }> {
  const agentsDir = join(folder, 'agents');
  const workflowsDir = join(folder, 'workflows');
  await mkdir(join(agentsDir, CHAOS_AGENT), { recursive: true });
  await mkdir(workflowsDir, { recursive: true });
  const tools = createChaosPack('').tools.map(({ name }) => name);
  await writeFile(
    join(agentsDir, CHAOS_AGENT, 'agent.yaml'),
    `name: ${CHAOS_AGENT}
displayName: Chaos
description: Does small work whose effects can be counted.
workflow: rounds
instructions: instructions.md
models: { strategic: rehearsal, tactical: rehearsal }
tools:
  workspace: [write_file]
  strategic: [todo_write, todo_complete, job_complete]
  tactical: [todo_complete]
  domain: [${tools.join(', ')}]
deliverables: [${RESULT_FILE}]
todos: { min: 1, max: 20 }
`,
  );
  await writeFile(join(agentsDir, CHAOS_AGENT, 'instructions.md'), 'Do every round.\n');
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
