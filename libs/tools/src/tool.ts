import type { JsonObject } from '@phaseline/basics';
import type { z } from 'zod';
import type {
  NestedCallRequest,
  PhaseEvent,
  PhaseKind,
  PhaseState,
  QuestionText,
  WorkspaceSettings,
} from '@phaseline/domain';
import type {
  DynamicToolSpecs,
  InlineToolDeclaration,
  PackSpec,
  RemoteToolDeclaration,
  ToolSettings,
  ToolSpec,
  JobId,
  CallId,
} from '@phaseline/contracts';
import type { CallSecrets } from './secrets/call-secrets.js';
import type { BlobWrite, FileChange, WorkspaceReader } from '@phaseline/workspace';

/** The outcome of a tool. `content` is the text for the model; `files` are committed together with it or not at all. */
export interface ToolOutcome {
  readonly content: string;
  readonly files?: readonly FileChange[];
  /** The part of the outcome that checks read, in the shape that the tool declares as `result`. */
  readonly result?: JsonObject | undefined;
  /** Contents that `result` names by their hash. They are stored with the outcome as they are, without secrets, and are no files of the workspace. */
  readonly blobs?: readonly BlobWrite[];
  /**
   * Recomputes content and files on the workspace as it is when the result is recorded, and again after a concurrent commit.
   * For `remote` tools that count or extend existing files. It must only read.
   */
  readonly rebase?: (workspace: WorkspaceReader) => Promise<Omit<ToolOutcome, 'rebase' | 'result' | 'blobs'>>;
}

export interface RemoteToolContext {
  readonly jobId: JobId;
  readonly callId: CallId;
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  /** Why the attempt before this one failed; absent in the first. */
  readonly previousFailure?: { readonly code: string; readonly message: string };
  /** Fires on timeout, cancel and shutdown; a tool must stop soon after. */
  readonly signal: AbortSignal;
  readonly workspace: WorkspaceReader;
  /** Kind of the phase that the call belongs to. Default: tactical. */
  readonly kind?: PhaseKind;
  /** Number of the phase. Default: 1. */
  readonly phase?: number;
  /**
   * Records an event of the call, whether it succeeds or fails; for what happens outside the workspace. The events are committed with
   * the end of the call.
   */
  readonly recordEvent?: (event: PhaseEvent) => void;
  /** Tool settings from the agent's definition. */
  readonly settings?: ToolSettings;
  /** Secrets that the tool or its settings declare. Values that were read are removed from the outcome. */
  readonly secrets?: CallSecrets;
  /** Settings of the workspace from the agent's definition; the defaults if absent. */
  readonly workspaceSettings?: WorkspaceSettings | undefined;
}

/** A declared remote tool with the code that runs it. */
export interface RemoteTool extends RemoteToolDeclaration {
  run(context: RemoteToolContext, input: unknown): Promise<ToolOutcome>;
}

export interface InlineToolContext {
  readonly state: PhaseState;
  readonly workspace: WorkspaceReader;
  readonly callId: CallId;
  /** Time of the commit. */
  readonly now: Date;
  /** Returns the specs of the named tools in this phase. Unknown names are skipped. */
  readonly specsOf?: (names: readonly string[]) => readonly ToolSpec[];
}

/** The outcome of an inline tool: text for the model, file changes, and events for the stream of the phase. */
export interface InlineToolOutcome extends ToolOutcome {
  readonly events?: readonly PhaseEvent[];
  /** Set if the call fails although it has events to record, such as the refusal of a claim. Its content and files are ignored. */
  readonly failure?: { readonly code: string; readonly message: string };
  /**
   * Calls that must end before this one can. The tool then runs again and finds their results in the state; it must make the same
   * calls in the same order. While `asks` is set, the rest of the outcome is ignored.
   */
  readonly nestedCalls?: readonly NestedCallRequest[];
  /**
   * Events that open a claim: the claim, and the calls of the system for which it waits. The tool then runs again and finds how they
   * ended in the state. While it is set, the rest of the outcome is ignored.
   */
  readonly openClaim?: readonly PhaseEvent[];
  /**
   * Events after which the call waits for what another job does. The tool then runs again and finds the result in the state. While it is set,
   * the rest of the outcome is ignored.
   */
  readonly wait?: readonly PhaseEvent[];
  /**
   * A question that a person must answer before this call can end. The tool then runs again and finds the answer in the state.
   * While it is set, only the files and events of the outcome are recorded.
   */
  readonly question?: QuestionText & { readonly deadlineAt: Date };
}

/** A declared inline tool with the code that runs it. `run` only reads the workspace and the state. */
export interface InlineTool extends InlineToolDeclaration {
  run(context: InlineToolContext, input: unknown): Promise<InlineToolOutcome>;
}

export type Tool = RemoteTool | InlineTool;

/** A pack with the code that runs its tools. Each pack can be loaded on its own. */
export interface ToolPack extends PackSpec {
  readonly tools: readonly Tool[];
  readonly dynamic?: DynamicTools;
}

export interface DynamicTools extends DynamicToolSpecs {
  /** Returns the tool with the given listed name, ready to run. */
  get(name: string): RemoteTool | undefined;
}

/** A remote tool in one object, with `run` typed by `input`. */
export interface RemoteToolDefinition<Input = unknown> extends Omit<RemoteToolDeclaration, 'lane'> {
  readonly input: z.ZodType<Input>;
  run(context: RemoteToolContext, input: Input): Promise<ToolOutcome>;
}

/** Defines a remote tool outside the shipped packs. The shipped packs declare tools separately from their code (see `implementPack`). */
export function defineRemoteTool<Input>(tool: RemoteToolDefinition<Input>): RemoteTool {
  return { ...tool, lane: 'remote' } as RemoteTool;
}
