import type { ChatRequest } from '@phaseline/contracts';
import type { ContextSettings } from '@phaseline/domain';
import { formatCount, formatPercent, formatUsd, type ContextSection } from './context-section.js';
import { CACHED_SHARES, computeFigures, savedShare, sumFigures, type LoopFigures } from './loop-figures.js';
import { buildReactRequests } from './react-loop.js';
import { runWork, type RunOptions, type WorkRun } from './run-work.js';

/** Disables summaries, so that only clearing makes a difference. */
const NO_SUMMARY: Partial<ContextSettings> = { summariseTokens: 10_000_000 };
/** Disables clearing as well. */
const KEPT: Partial<ContextSettings> = { ...NO_SUMMARY, clearTokens: 10_000_000 };
/** Settings with the todo list last, as recommended in docs/concepts/context.md. */
const LAST = { todoList: 'last', clearTokens: 8_000 } as const;
const CONTEXT_TOKENS = 2_000_000;
const SEEDS = [11, 12, 13, 21, 22, 23] as const;

/*
 * Measures what clearing saves: one phase with 100 tool calls, with all results kept and with old results cleared by the same runner,
 * and a plain ReAct loop with the same calls. Uses several seeds because results differ in length. Costs include the prompt cache:
 * each clearing invalidates the prompt from the first cleared result on; with the todo list after the system prompt, each completed
 * todo invalidates the whole conversation.
 */
export const clearingSection: ContextSection = {
  name: 'clearing',
  run: async ({ quick }) => {
    const seeds = quick ? SEEDS.slice(0, 1) : SEEDS;
    const size = { steps: quick ? 40 : 100, callsPerTodo: 7, todosPerPhase: 6 };
    const runAllSeeds = (context: Partial<ContextSettings>): Promise<WorkRun[]> => {
      const work: Omit<RunOptions, 'seed'> = { ...size, onePhase: true, contextTokens: CONTEXT_TOKENS, context };
      return mapInSequence(seeds, (seed) => runWork({ ...work, seed }));
    };
    const kept = await runAllSeeds(KEPT);
    const react = kept.map((run) => computeFigures(buildReactRequests(run)));
    const cleared = (await runAllSeeds(NO_SUMMARY)).map(figuresOfRun);
    const keptLast = (await runAllSeeds({ ...KEPT, todoList: 'last' })).map(figuresOfRun);
    const clearedLast = (await runAllSeeds({ ...NO_SUMMARY, ...LAST })).map(figuresOfRun);
    const comparisons: readonly Comparison[] = [
      { name: 'as shipped, compared with no clearing', before: kept.map(figuresOfRun), now: cleared },
      { name: 'as shipped, compared with a plain ReAct loop', before: react, now: cleared },
      { name: 'todo list last, clearTokens 8,000, compared with no clearing', before: keptLast, now: clearedLast },
      { name: 'todo list last, clearTokens 8,000, compared with a plain ReAct loop', before: react, now: clearedLast },
    ];
    return [
      {
        title: `Clearing, over ${size.steps} tool calls`,
        head: [
          `sum of ${seeds.length} runs`,
          'tokens before',
          'tokens',
          'saved',
          'input USD before',
          'input USD',
          ...CACHED_SHARES.map((share) => `cost saved, cached tokens at ${100 * share} %`),
          'minimum per run',
        ],
        rows: comparisons.map(renderRow),
      },
    ];
  },
};

interface Comparison {
  readonly name: string;
  readonly before: readonly LoopFigures[];
  readonly now: readonly LoopFigures[];
}

function renderRow({ name, before, now }: Comparison): string[] {
  const [total, reduced] = [sumFigures(before), sumFigures(now)];
  const least = Math.min(...now.map((run, index) => savedShare(before[index]!.inputUsd[0]!, run.inputUsd[0]!)));
  return [
    name,
    formatCount(total.inputTokens),
    formatCount(reduced.inputTokens),
    formatPercent(savedShare(total.inputTokens, reduced.inputTokens)),
    formatUsd(total.inputUsd[0]!),
    formatUsd(reduced.inputUsd[0]!),
    ...CACHED_SHARES.map((_, index) => formatPercent(savedShare(total.inputUsd[index]!, reduced.inputUsd[index]!))),
    formatPercent(least),
  ];
}

function figuresOfRun({ calls }: WorkRun): LoopFigures {
  return computeFigures(calls.map(({ request }): ChatRequest => request));
}

async function mapInSequence<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}
