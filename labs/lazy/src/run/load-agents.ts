import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { overrideVerifier, type VerifierDefinition } from '@phaseline/contracts';
import { loadDefinitions, type LoadedAgent } from '@phaseline/definitions';
import { workflowSchema, type AgentDefinition, type Workflow } from '@phaseline/domain';
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

  /** The verifiers of a task: those of its agent, and those that its submission adds. They may use this Node. */
  listVerifiers({ agent, verifiers = {} }: Task): readonly VerifierDefinition[] {
    const path = [dirname(process.execPath)];
    const own = this.agents.get(agent).definition.verifiers ?? [];
    const submitted = Object.entries(verifiers).map(([name, given]) => overrideVerifier(name, undefined, given));
    return [...own, ...submitted].map((definition) => ({ ...definition, path }));
  }

  /** The agent of a task, whose jobs start with the files of the task. */
  sourceFor(task: Task): AgentSource {
    const agent = this.agents.get(task.agent);
    const workflow = this.workflows.get(agent.definition.workflow);
    const files = task.files.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
    return {
      resolve: () => ({
        ...agent,
        definition: { ...useThisNode(agent.definition), verifiers: [...this.listVerifiers(task)] },
        files: [...agent.files, ...files],
        workflow: verifyAtTheEnd(workflow.definition, this.listVerifiers(task)),
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

/**
 * The shipped workflow as an author changes it who wants every result verified: whatever completes the job needs all verifiers.
 */
function verifyAtTheEnd(workflow: Workflow, verifiers: readonly VerifierDefinition[]): Workflow {
  const checks = verifiers.map(({ name }) => ({ verifier: name }));
  const states = Object.entries(workflow.states).map(([name, state]) => {
    const outcomes = Object.entries(state.outcomes).map(([outcome, transition]) => [
      outcome,
      'end' in transition && transition.end === 'completed'
        ? { ...transition, checks: [...(transition.checks ?? []), ...checks] }
        : transition,
    ]);
    return [name, { ...state, outcomes: Object.fromEntries(outcomes) as Workflow['states'][string]['outcomes'] }];
  });
  return workflowSchema.parse({ ...workflow, states: Object.fromEntries(states) });
}
