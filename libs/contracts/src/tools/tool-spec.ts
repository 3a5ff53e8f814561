import type { ToolDefinition } from '../chat/chat.js';

/**
 * Where a tool runs. `inline` tools run in the worker and are committed with the model's answer. `remote` tools access the
 * outside world and run in the tool-runner, through the queue `tools`.
 */
export type ToolLane = 'inline' | 'remote';

/** Effect of a second run: none (`pure`), the same as the first (`idempotent`), or harm (`once`: never run twice). */
export type ToolEffect = 'pure' | 'idempotent' | 'once';

/** What the engine needs to know of a tool beyond its lane and effect. */
export const toolTraits = [
  /** Claims that work is done. Not run after a failed call in the same answer, because the claim would be false. */
  'claims_completion',
  /** Changes the todo list of the phase, which comes before the conversation in the prompt. */
  'changes_todos',
  /** Reads or changes the records of the agent, such as its list or its notes. A call of it does not count as work on a todo. */
  'bookkeeping',
  /** Only the agent itself may call it, not a script. */
  'not_nestable',
  /** Called by the system and never offered to a model, such as a run of a verifier. */
  'system',
  /** Returns parts of content that is already stored, so its own results are never stored as files. */
  'reads_stored_content',
  /** Meant for phases of one kind. A tool with neither of the two fits both. */
  'strategic_only',
  'tactical_only',
] as const;
export type ToolTraits = readonly (typeof toolTraits)[number][];

/** What the phase decider needs to know of a tool. The implementation is elsewhere. */
export interface ToolSpec {
  readonly definition: ToolDefinition;
  readonly lane: ToolLane;
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
  readonly traits: ToolTraits;
}
