import { toolSettingsSchema } from '@phaseline/contracts';
import { DEFAULT_WORKSPACE_SETTINGS, type PhaseEvent, type PhaseKind, type WorkspaceSettings } from '@phaseline/domain';
import { StagedWorkspace } from '@phaseline/workspace';
import type { z } from 'zod';
import {
  parseOutcome,
  type RemoteToolContext,
  type RemoteTool,
  type ToolOutcome,
  type ToolPack,
} from '@phaseline/tools';

/** Runs the remote tools of a pack one after another on one in-memory workspace, as tool-runner would. For specs. */
export class RemoteToolBench {
  readonly workspace = new StagedWorkspace({}, { get: async () => undefined });
  kind: PhaseKind = 'tactical';
  jobId = 'job';
  phase = 1;
  workspaceSettings: WorkspaceSettings = DEFAULT_WORKSPACE_SETTINGS;
  signal = new AbortController().signal;
  /** Events that tools recorded, in order. */
  readonly events: PhaseEvent[] = [];
  private calls = 0;

  constructor(
    private readonly pack: ToolPack,
    private readonly settings: z.input<typeof toolSettingsSchema> = {},
  ) {}

  put(path: string, content: string | Uint8Array): void {
    this.workspace.stage(
      [{ path, content: typeof content === 'string' ? new TextEncoder().encode(content) : content }],
      new Date(0),
    );
  }

  getTool(name: string): RemoteTool {
    const tool = this.pack.tools.find((one) => one.name === name) ?? this.pack.dynamic?.get(name);
    if (tool?.lane !== 'remote') throw new Error(`no remote tool ${name}`);
    return tool;
  }

  /** Runs a tool without recording its outcome. */
  run(name: string, args: Record<string, unknown>): Promise<ToolOutcome> {
    const tool = this.getTool(name);
    const context: RemoteToolContext = {
      jobId: this.jobId,
      callId: `call_${(this.calls += 1)}`,
      attempt: 1,
      signal: this.signal,
      workspace: this.workspace,
      kind: this.kind,
      phase: this.phase,
      recordEvent: (event) => void this.events.push(event),
      workspaceSettings: this.workspaceSettings,
      settings: toolSettingsSchema.parse(this.settings),
    };
    return parseOutcome(tool, tool.run(context, tool.input.parse(args)));
  }

  /** Records an outcome and returns the text for the model. */
  async record(outcome: ToolOutcome): Promise<string> {
    const final = outcome.rebase ? await outcome.rebase(this.workspace) : outcome;
    this.workspace.stage(final.files ?? [], new Date(0));
    return final.content;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    return this.record(await this.run(name, args));
  }

  /** Runs a tool and returns the error that the call ends with, as `code: message`. */
  async runForError(name: string, args: Record<string, unknown> = {}): Promise<string> {
    return this.call(name, args).then(
      () => 'no failure',
      (error: unknown) => `${(error as { code?: string }).code ?? 'error'}: ${(error as Error).message}`,
    );
  }

  async readText(path: string): Promise<string> {
    const bytes = await this.workspace.read(path);
    if (!bytes) throw new Error(`no file ${path}`);
    return new TextDecoder().decode(bytes);
  }
}
