import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { overrideVerifier, type VerifierDefinition } from '@phaseline/contracts';
import { loadDefinitions, type LoadedAgent } from '@phaseline/definitions';
import { workflowSchema, type AgentDefinition, type Workflow } from '@phaseline/domain';
import type { EngineOptions } from '@phaseline/harness';
import { listStateAgents } from '@phaseline/orchestration';
import { modelProfileSchema } from '@phaseline/model';
import type { Task } from '../tasks/task.js';

type AgentSource = NonNullable<EngineOptions['agents']>;

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** The agents of this lab and the shipped ones with the shipped workflows, loaded as the services load them. */
export class LabAgents {
  private constructor(
    private readonly agents: { get(name: string): LoadedAgent },
    private readonly workflows: { get(name: string): { readonly definition: Workflow; readonly hash: string } },
  ) {}

  static async load(): Promise<LabAgents> {
    const { agents, workflows } = await loadDefinitions({
      agentsDir: [fromRoot('agents'), fromRoot('labs/lazy/agents')],
      workflowsDir: fromRoot('workflows'),
      modelsDir: fromRoot('models'),
      modelSchema: modelProfileSchema,
      variables: {},
    });
    return new LabAgents(agents, workflows);
  }

  /**
   * The verifiers of a task: those of its agent and of the agents that its workflow names, and those that its submission adds. They may use
   * this Node, and install nothing.
   */
  listVerifiers(task: Task): readonly VerifierDefinition[] {
    const path = [dirname(process.execPath)];
    const agents = [this.agents.get(task.agent), ...this.listNamedAgents(task)];
    return [...agents.flatMap(({ definition }) => definition.verifiers ?? []), ...listSubmitted(task)].map(
      ({ setup: _setup, ...definition }) => ({ ...definition, path }),
    );
  }

  private listNamedAgents({ agent: name }: Task): readonly LoadedAgent[] {
    const { definition } = this.workflows.get(this.agents.get(name).definition.workflow);
    return listStateAgents(definition, name).map((other) => this.agents.get(other));
  }

  /** The agent of a task, whose jobs start with the files of the task. */
  sourceFor(task: Task): AgentSource {
    const agent = this.agents.get(task.agent);
    const workflow = this.workflows.get(agent.definition.workflow);
    const files = task.files.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
    const definition = holdSources(useThisNode(agent.definition), listSubmitted(task));
    return {
      resolve: () => ({
        ...agent,
        definition: { ...definition, verifiers: [...this.listVerifiers(task)] },
        files: [...agent.files, ...files],
        agents: this.listNamedAgents(task).map((one) => ({ ...one, definition: useThisNode(one.definition) })),
        workflow: verifyAtTheEnd(
          workflow.definition,
          workflow.definition.items ? listSubmitted(task) : this.listVerifiers(task),
        ),
        workflowHash: workflow.hash,
      }),
    };
  }
}

/** The verifiers that the submission of a task adds to those of its agents. */
const listSubmitted = ({ verifiers = {} }: Task): readonly VerifierDefinition[] =>
  Object.entries(verifiers).map(([name, given]) => overrideVerifier(name, undefined, given));

/** Holds each source file that a todo produces to the submitted verifiers too, where the agent demands something of source files. */
function holdSources(definition: AgentDefinition, submitted: readonly VerifierDefinition[]): AgentDefinition {
  const sources = (definition.todos.outputs ?? []).find(({ path }) => path.startsWith('src/'));
  if (!sources) return definition;
  const added = submitted.map(({ name }) => ({ path: sources.path, verifier: name }));
  return { ...definition, todos: { ...definition.todos, outputs: [...definition.todos.outputs!, ...added] } };
}

/** Adds the folder of the Node that runs this lab to the folders in which commands are searched. Nothing has a network. */
function useThisNode(definition: AgentDefinition): AgentDefinition {
  if (!definition.settings?.commands) return definition;
  const { network: _network, ...commands } = definition.settings.commands;
  const path = [dirname(process.execPath), ...commands.path];
  return { ...definition, settings: { ...definition.settings, commands: { ...commands, path } } };
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
