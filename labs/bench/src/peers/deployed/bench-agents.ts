import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const WORKFLOW = `name: bench
version: 1
description: One phase of many steps.
start: work
states:
  work:
    kind: tactical
    title: Work
    todos: [Take the steps]
    finish: done
    outcomes:
      done: { end: completed }
`;

/** Writes an agent for each name, and their workflow. Returns their folders. */
export async function writeBenchAgents(
  folder: string,
  names: readonly string[],
  maxSteps: number,
): Promise<{ readonly agentsFolder: string; readonly workflowsFolder: string }> {
  const [agentsFolder, workflowsFolder] = [join(folder, 'agents'), join(folder, 'workflows')];
  await mkdir(workflowsFolder, { recursive: true });
  await writeFile(join(workflowsFolder, 'bench.yaml'), WORKFLOW);
  for (const name of names) {
    await mkdir(join(agentsFolder, name), { recursive: true });
    await writeFile(join(agentsFolder, name, 'agent.yaml'), renderAgent(name, maxSteps));
    await writeFile(join(agentsFolder, name, 'instructions.md'), 'Take the steps.\n');
  }
  return { agentsFolder, workflowsFolder };
}

/** The work makes no progress on purpose, so the detection of stuck phases is off. */
function renderAgent(name: string, maxSteps: number): string {
  return `name: ${name}
displayName: Bench
description: Takes steps that cost nothing.
workflow: bench
instructions: instructions.md
models: { tactical: rehearsal }
tools:
  workspace: [write_file]
  tactical: [todo_complete]
  domain: [echo]
limits: { steps: ${maxSteps} }
stuck: { enabled: false }
`;
}
