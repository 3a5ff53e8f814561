import type { ToolDefinition } from '../conversation/chat.js';

/**
 * Where a tool runs. `log` tools are pure commands on the log and are committed with the model's answer;
 * `runner` tools touch the outside and go through the `tools` queue.
 */
export type ToolLane = 'log' | 'runner';

/** What a second run would do: nothing new (`pure`), the same again (`idempotent`), or harm (`once`: never run twice). */
export type ToolEffect = 'pure' | 'idempotent' | 'once';

/** All that the phase decider needs to know of a tool; the code of the tool lives elsewhere. */
export interface ToolSpec {
  readonly definition: ToolDefinition;
  readonly lane: ToolLane;
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
}
