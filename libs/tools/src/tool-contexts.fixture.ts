import {
  agentDefinitionSchema,
  foldPhase,
  pickAgentSettings,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { StagedWorkspace } from '@phaseline/workspace';
import type { InlineToolContext, ToolPack } from './tool.js';

/** Changes to the members of a group. */
export type StartChanges = {
  readonly [Group in 'identity' | 'terms' | 'plan' | 'routes' | 'workspace']?: Partial<
    PhaseEventData<'PhaseStarted'>[Group]
  >;
};

/** Builds the state of a phase that offers no tools, with the given changes to its start. For specs of inline tools. */
export function buildPhaseState(changes: StartChanges = {}): PhaseState {
  const agent = agentDefinitionSchema.parse({
    name: 'tester',
    displayName: 'Tester',
    tools: {},
  });
  return foldPhase([
    {
      type: 'PhaseStarted',
      data: {
        identity: {
          jobId: '01890000-0000-7000-8000-000000000001',
          phase: 1,
          attempt: 1,
          state: 's',
          kind: 'strategic',
          name: 'Phase',
          agent: { name: 'tester', displayName: 'Tester', description: '' },
          ...changes.identity,
        },
        terms: { model: 'default', tools: [], ...pickAgentSettings(agent), allowance: {}, ...changes.terms },
        plan: { todos: [], limits: agent.todos, deliverables: [], archive: false, ...changes.plan },
        workspace: { tree: {}, ...changes.workspace },
        routes: { finish: { outcome: 'done', gates: [] }, ...changes.routes },
      },
    },
  ])!;
}

/** Runs the inline tools of a pack one after another on one in-memory workspace, as the phase runner would. */
export class InlineToolBench {
  readonly workspace = new StagedWorkspace({}, { get: async () => undefined });

  constructor(
    private readonly pack: ToolPack,
    private readonly state: PhaseState = buildPhaseState(),
  ) {}

  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    return (await this.run(name, args)).content;
  }

  async run(name: string, args: Record<string, unknown> = {}) {
    const tool = this.pack.tools.find((candidate) => candidate.name === name);
    if (tool?.lane !== 'inline') throw new Error(`no inline tool ${name}`);
    const context: InlineToolContext = { state: this.state, workspace: this.workspace, callId: 'call_1' };
    const outcome = await tool.run(context, tool.input.parse(args));
    this.workspace.stage(outcome.files ?? [], new Date(0));
    return outcome;
  }

  put(path: string, content: string | Uint8Array): void {
    this.workspace.stage(
      [{ path, content: typeof content === 'string' ? new TextEncoder().encode(content) : content }],
      new Date(0),
    );
  }

  async readText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.workspace.read(path));
  }
}
