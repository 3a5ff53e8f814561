import { StagedWorkspace } from '@phaseline/workspace';
import type { RemoteTool, ToolOutcome } from '@phaseline/tools';
import { documentsPack } from './documents-pack.js';

/** Runs the document tools one after another on one in-memory workspace, as tool-runner would. For specs. */
export class DocumentBench {
  readonly workspace = new StagedWorkspace({}, { get: async () => undefined });
  signal = new AbortController().signal;

  put(path: string, content: string | Uint8Array): void {
    this.workspace.stage(
      [{ path, content: typeof content === 'string' ? new TextEncoder().encode(content) : content }],
      new Date(0),
    );
  }

  async run(name: string, args: Record<string, unknown>): Promise<ToolOutcome> {
    const tool = documentsPack.tools.find(
      (candidate): candidate is RemoteTool => candidate.name === name && candidate.lane === 'remote',
    );
    if (!tool) throw new Error(`no tool ${name}`);
    const context = { jobId: 'job', callId: 'call', attempt: 1, signal: this.signal, workspace: this.workspace };
    const outcome = await tool.run(context, tool.input.parse(args));
    this.workspace.stage(outcome.files ?? [], new Date(0));
    return outcome;
  }

  async call(name: string, args: Record<string, unknown>): Promise<string> {
    return (await this.run(name, args)).content;
  }

  /** Runs a tool and returns the code of the ToolError that the call ends with. */
  async runForErrorCode(name: string, args: Record<string, unknown>): Promise<string> {
    return this.run(name, args).then(
      () => 'no failure',
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  }

  async readText(path: string): Promise<string> {
    const bytes = await this.workspace.read(path);
    if (!bytes) throw new Error(`no file ${path}`);
    return new TextDecoder().decode(bytes);
  }

  async readJson<T>(path: string): Promise<T> {
    return JSON.parse(await this.readText(path)) as T;
  }
}
