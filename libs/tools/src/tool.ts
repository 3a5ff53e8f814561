import type { z } from 'zod';
import type {
  AskedCall,
  PhaseEvent,
  PhaseKind,
  PhaseState,
  ToolEffect,
  ToolSettings,
  ToolSpec,
} from '@phaseline/domain';
import type { FileChange, WorkspaceReader } from '@phaseline/workspace';

interface ToolBase<Input> {
  /** snake_case, unique over all packs. */
  readonly name: string;
  /** One or two sentences for the model: what it does, when to use it. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** It gives what is kept already, a part at a time: a result of it is never kept a second time. */
  readonly readsAgain?: boolean;
}

/** What a tool hands back. `content` is what the model reads; `files` are committed with the result, or not at all. */
export interface ToolOutcome {
  readonly content: string;
  readonly files?: readonly FileChange[];
  /**
   * Decides content and files anew on the files as they stand when the result is recorded, and again when neighbours were
   * faster: for a tool that counts or extends what is there. Only of `runner` tools; it may only read.
   */
  readonly onto?: (workspace: WorkspaceReader) => Promise<Omit<ToolOutcome, 'onto'>>;
}

export interface RunnerContext {
  readonly jobId: string;
  readonly callId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Fires on timeout, cancel and shutdown; a tool must stop soon after. */
  readonly signal: AbortSignal;
  readonly workspace: WorkspaceReader;
  /** Of the phase that the call belongs to; tactical where it is missing. */
  readonly kind?: PhaseKind;
  /** What the agent's definition says about some tools. */
  readonly settings?: ToolSettings;
}

/** What an agent's settings make of a tool. */
export interface ToolAdjustment {
  readonly effect?: ToolEffect;
  readonly timeoutMs?: number;
  /** Added to the description, so that the model knows what it may do. */
  readonly note?: string;
}

/** A tool that touches the outside or needs real computing: executed by tool-runner, retried when its failure may pass. */
export interface RunnerTool<Input = unknown> extends ToolBase<Input> {
  readonly lane: 'runner';
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  /** Must give the same for the same settings, on any worker. */
  adjust?(settings: ToolSettings): ToolAdjustment;
  run(context: RunnerContext, input: Input): Promise<ToolOutcome>;
}

export interface LogToolContext {
  readonly state: PhaseState;
  readonly workspace: WorkspaceReader;
  readonly callId: string;
  /** What the tools of these names take, in this phase. Those that the process does not know are left out. */
  readonly specsOf?: (names: readonly string[]) => readonly ToolSpec[];
}

/** What a log tool decided: the text for the model, file changes, and facts for the phase's stream. */
export interface LogToolOutcome extends ToolOutcome {
  readonly facts?: readonly PhaseEvent[];
  /**
   * Calls that have to end before this one can: it is run again when they have, and finds them with their results in the state.
   * It must then come as far in the same way. Nothing else of the outcome is looked at meanwhile.
   */
  readonly asks?: readonly AskedCall[];
}

/** A tool that is a pure command on the log: it only reads the workspace and says what shall be recorded. */
export interface LogTool<Input = unknown> extends ToolBase<Input> {
  readonly lane: 'log';
  run(context: LogToolContext, input: Input): Promise<LogToolOutcome>;
}

export type Tool<Input = unknown> = RunnerTool<Input> | LogTool<Input>;

/** A named group of tools that loads alone. */
export interface ToolPack {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Tools that are not known in advance, by the settings of an agent that name them. */
  readonly dynamic?: DynamicTools;
}

export interface DynamicTools {
  /** Every tool that the settings name. */
  list(settings: ToolSettings): readonly ToolSpec[];
  /** Runs any of them; the name is that of a listed tool. */
  tool(name: string): RunnerTool | undefined;
}

/** Keeps the input type of a literal while the pack stores it untyped; inputs are parsed before `run`. */
export function runnerTool<Input>(tool: Omit<RunnerTool<Input>, 'lane'>): RunnerTool {
  return { ...tool, lane: 'runner' } as RunnerTool as RunnerTool<unknown>;
}

export function logTool<Input>(tool: Omit<LogTool<Input>, 'lane'>): LogTool {
  return { ...tool, lane: 'log' } as LogTool as LogTool<unknown>;
}
