import { duration, type Progress } from '@phaseline/service';
import type { DynamicTools, RunnerTool, ToolPack } from '@phaseline/tools';

/** A tool is stopped at its timeout; one that still runs this much later does not listen to its signal. */
const GRACE_MS = 5_000;

interface Run {
  readonly tool: string;
  readonly jobId: string;
  readonly callId: string;
  readonly startedAt: number;
  readonly timeoutMs: number;
}

/**
 * Knows which tools run, and which of them should have ended. A call ends at its timeout whatever its tool does; a tool that
 * goes on all the same uses up the process until that ends, and may still change things outside.
 */
export class ToolWatch {
  readonly #runs = new Set<Run>();

  constructor(
    private readonly progress: Progress,
    private readonly options: { readonly graceMs?: number; readonly now?: () => number } = {},
  ) {}

  /** The packs with every runner tool watched. */
  packs(packs: readonly ToolPack[]): readonly ToolPack[] {
    return packs.map((pack) => ({
      ...pack,
      tools: pack.tools.map((tool) => (tool.lane === 'runner' ? this.watched(tool) : tool)),
      ...(pack.dynamic ? { dynamic: this.watchedDynamic(pack.dynamic) } : {}),
    }));
  }

  /** A readiness check. */
  complaint(): string | undefined {
    const now = this.now();
    const overdue = [...this.#runs].filter((run) => now - run.startedAt > run.timeoutMs + this.graceMs);
    const [first] = overdue;
    if (!first) return undefined;
    const more = overdue.length === 1 ? '' : `, and ${overdue.length - 1} more`;
    return (
      `the tool ${first.tool} (${first.callId} of job ${first.jobId}) still runs ${duration(now - first.startedAt)} after its start, ` +
      `though it was stopped after ${duration(first.timeoutMs)}${more}; restart this process to be rid of it`
    );
  }

  private watchedDynamic(dynamic: DynamicTools): DynamicTools {
    return {
      list: (settings) => dynamic.list(settings),
      tool: (name) => {
        const tool = dynamic.tool(name);
        return tool && this.watched(tool);
      },
    };
  }

  private watched(tool: RunnerTool): RunnerTool {
    return {
      ...tool,
      run: async (context, input) => {
        const { name } = tool;
        const timeoutMs = tool.adjust?.(context.settings ?? {}).timeoutMs ?? tool.timeoutMs;
        const { jobId, callId } = context;
        const run: Run = { tool: name, jobId, callId, startedAt: this.now(), timeoutMs };
        this.#runs.add(run);
        this.progress.allow(timeoutMs + this.graceMs);
        try {
          return await tool.run(context, input);
        } finally {
          this.#runs.delete(run);
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
