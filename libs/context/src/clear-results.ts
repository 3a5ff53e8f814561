import type { PhaseState } from '@phaseline/domain';
import { countTokens } from './count-tokens.js';

/** What stands in place of a cleared result takes about this many tokens. */
const REMARK_TOKENS = 20;

export interface Clearing {
  readonly callIds: readonly string[];
  /** What clearing saves in every call from then on. */
  readonly tokens: number;
}

/**
 * The old results of tools that are to be cleared now: all but those of the latest calls, once they are worth it together.
 * Clearing loses nothing that cannot be had again, but it changes the prompt from the first cleared result on, which the
 * server's prompt cache then has to read anew. So it is done seldom, and much at once.
 */
export function resultsToClear(state: PhaseState): Clearing | undefined {
  const { keepResults, clearTokens } = state.start.context;
  const results = state.transcript.flatMap((entry) => {
    if (entry.kind !== 'answer') return [];
    const { answer, cleared = [] } = entry;
    return answer.calls.map(({ callId }) => ({
      callId,
      text: entry.results?.[callId],
      cleared: cleared.includes(callId),
    }));
  });
  const old = results
    .slice(0, -keepResults)
    .flatMap(({ callId, text, cleared }) =>
      text === undefined || cleared ? [] : [{ callId, tokens: countTokens(text) }],
    )
    .filter(({ tokens }) => tokens > REMARK_TOKENS);
  const tokens = old.reduce((sum, result) => sum + result.tokens - REMARK_TOKENS, 0);
  return old.length > 0 && tokens >= clearTokens ? { callIds: old.map(({ callId }) => callId), tokens } : undefined;
}
