import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDefinitions, type LoadedAgent } from '@phaseline/definitions';
import type { AgentDefinition, Workflow } from '@phaseline/domain';
import type { EngineOptions } from '@phaseline/harness';
import { modelProfileSchema } from '@phaseline/model';
import type { Task } from '../tasks/task.js';

type AgentSource = NonNullable<EngineOptions['agents']>;

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** The agents of this lab with the shipped workflow, loaded as the services load them. */
export class LabAgents {
  private constructor(
    private readonly agents: { get(name: string): LoadedAgent },
    private readonly workflows: { get(name: string): { readonly definition: Workflow; readonly hash: string } },
  ) {}

  static async load(): Promise<LabAgents> {
    const { agents, workflows } = await loadDefinitions({
      agentsDir: fromRoot('labs/lazy/agents'),
      workflowsDir: fromRoot('workflows'),
      modelsDir: fromRoot('models'),
      modelSchema: modelProfileSchema,
      variables: {},
    });
    return new LabAgents(agents, workflows);
  }

  /** The agent of a task, whose jobs start with the files of the task. */
  sourceFor(task: Task): AgentSource {
    const agent = this.agents.get(task.agent);
    const workflow = this.workflows.get(agent.definition.workflow);
    const files = task.files.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
    return {
      resolve: () => ({
        ...agent,
        definition: useThisNode(agent.definition),
        files: [...agent.files, ...files],
        workflow: workflow.definition,
        workflowHash: workflow.hash,
      }),
    };
  }
}

/** Adds the folder of the Node that runs this lab to the folders in which commands are searched. */
function useThisNode(definition: AgentDefinition): AgentDefinition {
  const commands = definition.settings?.commands;
  if (!commands) return definition;
  const path = [dirname(process.execPath), ...commands.path];
  return { ...definition, settings: { ...definition.settings!, commands: { ...commands, path } } };
}
