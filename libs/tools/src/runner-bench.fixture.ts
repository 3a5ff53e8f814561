import { toolSettingsSchema, type PhaseKind } from '@phaseline/domain';
import { StagedWorkspace } from '@phaseline/workspace';
import type { z } from 'zod';
import type { RunnerContext, RunnerTool, ToolOutcome, ToolPack } from './tool.js';

/** Runs runner tools of a pack one after the other on one workspace in memory, as tool-runner would. For specs. */
export class RunnerBench {
  readonly workspace = new StagedWorkspace({}, { get: async () => undefined });
  kind: PhaseKind = 'tactical';
  jobId = 'job';
  signal = new AbortController().signal;
  private calls = 0;

  constructor(
    private readonly pack: ToolPack,
    private readonly settings: z.input<typeof toolSettingsSchema> = {},
  ) {}

  put(path: string, content: string | Uint8Array): void {
    this.workspace.stage([
      { path, content: typeof content === 'string' ? new TextEncoder().encode(content) : content },
    ]);
  }

  tool(name: string): RunnerTool {
    const tool = this.pack.tools.find((one) => one.name === name) ?? this.pack.dynamic?.tool(name);
    if (tool?.lane !== 'runner') throw new Error(`no runner tool ${name}`);
    return tool;
  }

  /** Runs a tool without recording what comes of it. */
  run(name: string, args: Record<string, unknown>): Promise<ToolOutcome> {
    const tool = this.tool(name);
    const context: RunnerContext = {
      jobId: this.jobId,
      callId: `call_${(this.calls += 1)}`,
      attempt: 1,
      signal: this.signal,
      workspace: this.workspace,
      kind: this.kind,
      settings: toolSettingsSchema.parse(this.settings),
    };
    return tool.run(context, tool.input.parse(args));
  }

  /** Records an outcome; returns what the model reads. */
  async record(outcome: ToolOutcome): Promise<string> {
    const now = outcome.onto ? await outcome.onto(this.workspace) : outcome;
    this.workspace.stage(now.files ?? []);
    return now.content;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    return this.record(await this.run(name, args));
  }

  /** The error that a call ends with, as `code: message`. */
  async failure(name: string, args: Record<string, unknown> = {}): Promise<string> {
    return this.call(name, args).then(
      () => 'no failure',
      (error: unknown) => `${(error as { code?: string }).code ?? 'error'}: ${(error as Error).message}`,
    );
  }

  async text(path: string): Promise<string> {
    const bytes = await this.workspace.read(path);
    if (!bytes) throw new Error(`no file ${path}`);
    return new TextDecoder().decode(bytes);
  }
}
