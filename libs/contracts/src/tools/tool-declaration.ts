import type { JsonObject } from '@phaseline/basics';
import type { z } from 'zod';
import type { ToolSettings } from './tool-settings.js';
import type { ToolEffect, ToolSpec, ToolTraits } from './tool-spec.js';

interface DeclarationBase {
  /** Name in snake_case, unique across all packs. */
  readonly name: string;
  /** One or two sentences for the model: what the tool does and when to use it. */
  readonly description: string;
  readonly input: z.ZodType;
  /** Shape of the structured result that the tool returns beside its text, for checks; none if absent. */
  readonly result?: z.ZodType<JsonObject>;
  readonly traits?: ToolTraits;
}

/** A tool that runs inside the worker: it reads the workspace and the state, and returns what to record in the event log. */
export interface InlineToolDeclaration extends DeclarationBase {
  readonly lane: 'inline';
}

/**
 * A tool that accesses systems outside the process or computes for a long time. Executed by tool-runner, and retried
 * after a retryable failure.
 */
export interface RemoteToolDeclaration extends DeclarationBase {
  readonly lane: 'remote';
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  /** Names of the secrets that the tool reads with `context.secrets`. It can read no other. */
  readonly secrets?: readonly string[];
  /** Must return the same for the same settings in every process. */
  adjust?(settings: ToolSettings): ToolAdjustment;
}

/** A tool as its pack declares it, without the code that runs it. */
export type ToolDeclaration = InlineToolDeclaration | RemoteToolDeclaration;

/** Declarations by the name of the tool. */
export type DeclaredTools = Readonly<
  Record<string, Omit<InlineToolDeclaration, 'name'> | Omit<RemoteToolDeclaration, 'name'>>
>;

/** Changes to a tool's spec that follow from an agent's settings. */
interface ToolAdjustment {
  readonly effect?: ToolEffect;
  readonly timeoutMs?: number;
  /** Text added to the description, so that the model knows what it may do. */
  readonly note?: string;
}

/** A named group of declared tools. */
export interface PackSpec {
  readonly name: string;
  readonly tools: readonly ToolDeclaration[];
  /** Tools that are known only from the settings of an agent. */
  readonly dynamic?: DynamicToolSpecs;
}

/** A pack whose tools are also known by name to the compiler, so that `implementPack` can check what runs them. */
export interface DeclaredPack<Tools extends DeclaredTools = DeclaredTools> extends PackSpec {
  readonly byName: Tools;
}

export interface DynamicToolSpecs {
  /** Returns the specs of all tools that the settings name. */
  list(settings: ToolSettings): readonly ToolSpec[];
}
