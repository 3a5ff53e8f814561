import type { CallId, JobId } from '@phaseline/contracts';
import { formatDuration, type Progress } from '@phaseline/service';
import type { DynamicTools, RemoteTool, ToolPack } from '@phaseline/tools';

/** Grace in milliseconds after a tool's timeout; a tool that still runs then ignores its signal. */
const GRACE_MS = 5_000;

interface Run {
  readonly tool: string;
  readonly jobId: JobId;
  readonly callId: CallId;
  readonly startedAt: number;
  readonly timeoutMs: number;
}

/**
 * Tracks running tools and finds those that should have ended. A call ends at its timeout even if its tool continues. A
 * tool that continues takes up resources of the process until it ends, and may still change things outside.
 */
export class ToolWatch {
  private readonly runs = new Set<Run>();

  constructor(
    private readonly progress: Progress,
    private readonly options: { readonly graceMs?: number; readonly now?: () => number } = {},
  ) {}

  /** Wraps packs so that every remote tool is watched. */
  watchPacks(packs: readonly ToolPack[]): readonly ToolPack[] {
    return packs.map((pack) => ({
      ...pack,
      tools: pack.tools.map((tool) => (tool.lane === 'remote' ? this.watchTool(tool) : tool)),
      ...(pack.dynamic ? { dynamic: this.watchDynamic(pack.dynamic) } : {}),
    }));
  }

  /** Returns what is wrong, for the readiness check; `undefined` when no tool is overdue. */
  describeOverdue(): string | undefined {
    const now = this.now();
    const overdue = [...this.runs].filter((run) => now - run.startedAt > run.timeoutMs + this.graceMs);
    const [first] = overdue;
    if (!first) return undefined;
    const more = overdue.length === 1 ? '' : `, and ${overdue.length - 1} more`;
    return (
      `the tool ${first.tool} (${first.callId} of job ${first.jobId}) is still running ${formatDuration(now - first.startedAt)} after its start, ` +
      `although it was told to stop after ${formatDuration(first.timeoutMs)}${more}; restart this process to end it`
    );
  }

  private watchDynamic(dynamic: DynamicTools): DynamicTools {
    return {
      list: (settings) => dynamic.list(settings),
      get: (name) => {
        const tool = dynamic.get(name);
        return tool && this.watchTool(tool);
      },
    };
  }

  private watchTool(tool: RemoteTool): RemoteTool {
    return {
      ...tool,
      run: async (context, input) => {
        const { name } = tool;
        const timeoutMs = tool.adjust?.(context.settings ?? {}).timeoutMs ?? tool.timeoutMs;
        const { jobId, callId } = context;
        const run: Run = { tool: name, jobId, callId, startedAt: this.now(), timeoutMs };
        this.runs.add(run);
        this.progress.setLimit(timeoutMs + this.graceMs);
        try {
          return await tool.run(context, input);
        } finally {
          this.runs.delete(run);
          this.progress.touch();
        }
      },
    };
  }

  private get graceMs(): number {
    return this.options.graceMs ?? GRACE_MS;
  }

  private now(): number {
    return this.options.now?.() ?? performance.now();
  }
}
