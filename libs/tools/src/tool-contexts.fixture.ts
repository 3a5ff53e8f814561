import { foldPhase, type PhaseState } from '@phaseline/domain';
import { buildPhaseStart, type StartChanges } from '@phaseline/domain/testing';
import { StagedWorkspace } from '@phaseline/workspace';
import type { InlineToolContext, ToolPack } from './tool.js';

/** Builds the state of a phase that offers no tools, with the given changes to its start. For specs of inline tools. */
export function buildPhaseState(changes: StartChanges = {}): PhaseState {
  const identity = { state: 's', kind: 'strategic' as const, name: 'Phase', ...changes.identity };
  return foldPhase([buildPhaseStart({ ...changes, identity })])!;
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
    const { state, workspace } = this;
    const context: InlineToolContext = { state, workspace, callId: 'call_1', now: new Date(0) };
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
