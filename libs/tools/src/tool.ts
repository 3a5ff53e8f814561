import type { z } from 'zod';
import type { NestedCallRequest, PhaseEvent, PhaseKind, PhaseState } from '@phaseline/domain';
import type { ToolEffect, ToolSettings, ToolSpec } from '@phaseline/contracts';
import type { FileChange, WorkspaceReader } from '@phaseline/workspace';

interface ToolBase<Input> {
  /** Name in snake_case, unique across all packs. */
  readonly name: string;
  /** One or two sentences for the model: what the tool does and when to use it. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Whether the tool returns parts of content that is already stored. Its own results are then never stored as files. */
  readonly readsStoredContent?: boolean;
}

/** The outcome of a tool. `content` is the text for the model; `files` are committed together with it or not at all. */
export interface ToolOutcome {
  readonly content: string;
  readonly files?: readonly FileChange[];
  /**
   * Recomputes content and files on the workspace as it is when the result is recorded, and again after a concurrent commit.
   * For `runner` tools that count or extend existing files. It must only read.
   */
  readonly rebase?: (workspace: WorkspaceReader) => Promise<Omit<ToolOutcome, 'rebase'>>;
}

export interface RemoteToolContext {
  readonly jobId: string;
  readonly callId: string;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  /** Fires on timeout, cancel and shutdown; a tool must stop soon after. */
  readonly signal: AbortSignal;
  readonly workspace: WorkspaceReader;
  /** Kind of the phase that the call belongs to. Default: tactical. */
  readonly kind?: PhaseKind;
  /** Tool settings from the agent's definition. */
  readonly settings?: ToolSettings;
}

/** Changes to a tool's spec that follow from an agent's settings. */
export interface ToolAdjustment {
  readonly effect?: ToolEffect;
  readonly timeoutMs?: number;
  /** Text added to the description, so that the model knows what it may do. */
  readonly note?: string;
}

/** A tool that reaches outside the process or computes for long. Executed by tool-runner, and retried after a retryable failure. */
export interface RemoteTool<Input = unknown> extends ToolBase<Input> {
  readonly lane: 'runner';
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  /** Must return the same for the same settings on every worker. */
  adjust?(settings: ToolSettings): ToolAdjustment;
  run(context: RemoteToolContext, input: Input): Promise<ToolOutcome>;
}

export interface InlineToolContext {
  readonly state: PhaseState;
  readonly workspace: WorkspaceReader;
  readonly callId: string;
  /** Returns the specs of the named tools in this phase. Unknown names are skipped. */
  readonly specsOf?: (names: readonly string[]) => readonly ToolSpec[];
}

/** The outcome of a log tool: text for the model, file changes, and events for the stream of the phase. */
export interface InlineToolOutcome extends ToolOutcome {
  readonly events?: readonly PhaseEvent[];
  /**
   * Calls that must end before this one can. The tool then runs again and finds their results in the state; it must reach the
   * same point in the same way. While `asks` is set, the rest of the outcome is ignored.
   */
  readonly nestedCalls?: readonly NestedCallRequest[];
}

/** A tool that runs inside the worker: it only reads the workspace and the state, and returns what to record in the event log. */
export interface InlineTool<Input = unknown> extends ToolBase<Input> {
  readonly lane: 'log';
  run(context: InlineToolContext, input: Input): Promise<InlineToolOutcome>;
}

export type Tool<Input = unknown> = RemoteTool<Input> | InlineTool<Input>;

/** A named group of tools that can be loaded on its own. */
export interface ToolPack {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Tools that are known only from the settings of an agent. */
  readonly dynamic?: DynamicTools;
}

export interface DynamicTools {
  /** Returns the specs of all tools that the settings name. */
  list(settings: ToolSettings): readonly ToolSpec[];
  /** Returns the tool with the given listed name, ready to run. */
  get(name: string): RemoteTool | undefined;
}

/** Defines a runner tool. Checks the literal against its input type; packs store it untyped, because inputs are parsed before `run`. */
export function defineRemoteTool<Input>(tool: Omit<RemoteTool<Input>, 'lane'>): RemoteTool {
  return { ...tool, lane: 'runner' } as RemoteTool as RemoteTool<unknown>;
}

/** Defines a log tool, see `runnerTool`. */
export function defineInlineTool<Input>(tool: Omit<InlineTool<Input>, 'lane'>): InlineTool {
  return { ...tool, lane: 'log' } as InlineTool as InlineTool<unknown>;
}
