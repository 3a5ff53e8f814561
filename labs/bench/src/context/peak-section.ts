import type { PhaseEvent, PromptLayers } from '@phaseline/domain';
import { formatCount, type ContextSection } from './context-section.js';
import { runWork, type RunOptions } from './run-work.js';

/*
 * Measures the longest prompt of a job with 1,000 steps, from the token ledger that each model call has in the log: in phases, and
 * all in one phase, where only clearing and summaries shorten the conversation.
 */
export const peakSection: ContextSection = {
  name: 'peak',
  run: async ({ quick }) => {
    const steps = quick ? 150 : 1_000;
    const shapes: readonly (readonly [string, Partial<RunOptions>])[] = [
      ['in phases', {}],
      ['all in one phase', { onePhase: true }],
      ['all in one phase, a model of 32,768 tokens', { onePhase: true, contextTokens: 32_768 }],
    ];
    const rows: string[][] = [];
    for (const [name, options] of shapes) {
      const { events } = await runWork({ seed: 13, steps, callsPerTodo: 6, todosPerPhase: 8, ...options });
      rows.push([name, ...renderPeak(events)]);
    }
    return [
      {
        title: `The longest prompt of a job of ${formatCount(steps)} steps`,
        head: ['', 'tokens', 'system', 'todos', 'tools', 'summary', 'conversation', 'mean', 'clearings', 'summaries'],
        rows,
      },
    ];
  },
};

function renderPeak(events: readonly PhaseEvent[]): string[] {
  const calls = events.flatMap((event) => (event.type === 'ModelCallStarted' ? [event.data] : []));
  const peak = calls.reduce((largest, call) => (call.inputTokens > largest.inputTokens ? call : largest));
  const layers: PromptLayers = peak.layers!;
  const mean = calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0) / calls.length;
  const countEvents = (type: PhaseEvent['type']): number => events.filter((event) => event.type === type).length;
  return [
    peak.inputTokens,
    layers.system,
    layers.todos,
    layers.tools,
    layers.summary,
    layers.conversation,
    mean,
    countEvents('ToolResultsCleared'),
    countEvents('ConversationSummarised'),
  ].map(formatCount);
}
