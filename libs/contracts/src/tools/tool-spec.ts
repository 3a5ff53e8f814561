import type { ToolDefinition } from '../chat/chat.js';

/**
 * Where a tool runs. `log` tools run in the worker and are committed with the model's answer. `runner` tools access the
 * outside world and run in the tool-runner, through the queue `tools`.
 */
export type ToolLane = 'log' | 'runner';

/** Effect of a second run: none (`pure`), the same as the first (`idempotent`), or harm (`once`: never run twice). */
export type ToolEffect = 'pure' | 'idempotent' | 'once';

/** What the phase decider needs to know of a tool. The implementation is elsewhere. */
export interface ToolSpec {
  readonly definition: ToolDefinition;
  readonly lane: ToolLane;
  readonly effect: ToolEffect;
  readonly timeoutMs: number;
}
