import type { ChatRequest, ContextSettings } from '@phaseline/domain';
import { count, percent, usd, type ContextSection } from './context-section.js';
import { CACHED_SHARES, figuresOf, saved, sumOf, type LoopFigures } from './loop-figures.js';
import { reactRequests } from './react-loop.js';
import { runWork, type RunOptions, type WorkRun } from './run-work.js';

/** Neither setting may summarise, so that clearing alone makes the difference. */
const NO_SUMMARY: Partial<ContextSettings> = { summariseTokens: 10_000_000 };
const KEPT: Partial<ContextSettings> = { ...NO_SUMMARY, clearTokens: 10_000_000 };
/** As docs/context.md recommends for it. */
const LAST = { todoList: 'last', clearTokens: 8_000 } as const;
const WINDOW = 2_000_000;
const SEEDS = [11, 12, 13, 21, 22, 23] as const;

/*
 * What clearing saves: one phase with 100 calls of tools, once with everything kept and once with old results cleared, both
 * by the same runner, and a plain ReAct loop that did the same. Over several seeds, because results differ in length. Money
 * counts what a server has cached: every clearing makes the prompt new from the first cleared result on, and with the todo
 * list behind the system prompt every completed todo makes the whole conversation new.
 */
export const clearingSection: ContextSection = {
  name: 'clearing',
  run: async ({ quick }) => {
    const seeds = quick ? SEEDS.slice(0, 1) : SEEDS;
    const size = { steps: quick ? 40 : 100, callsPerTodo: 7, todosPerPhase: 6 };
    const under = (context: Partial<ContextSettings>): Promise<WorkRun[]> => {
      const work: Omit<RunOptions, 'seed'> = { ...size, onePhase: true, contextTokens: WINDOW, context };
      return inTurn(seeds, (seed) => runWork({ ...work, seed }));
    };
    const kept = await under(KEPT);
    const react = kept.map((run) => figuresOf(reactRequests(run)));
    const cleared = (await under(NO_SUMMARY)).map(figures);
    const keptLast = (await under({ ...KEPT, todoList: 'last' })).map(figures);
    const clearedLast = (await under({ ...NO_SUMMARY, ...LAST })).map(figures);
    const comparisons: readonly Comparison[] = [
      { name: 'as shipped, against nothing cleared', before: kept.map(figures), now: cleared },
      { name: 'as shipped, against a plain ReAct loop', before: react, now: cleared },
      { name: 'todo list last, clearTokens 8,000, against nothing cleared', before: keptLast, now: clearedLast },
      { name: 'todo list last, clearTokens 8,000, against a plain ReAct loop', before: react, now: clearedLast },
    ];
    return [
      {
        title: `Clearing, over ${size.steps} calls of tools`,
        head: [
          `sum of ${seeds.length} runs`,
          'tokens before',
          'tokens',
          'saved',
          'input USD before',
          'input USD',
          ...CACHED_SHARES.map((share) => `money saved, cached at ${100 * share} %`),
          'least of a run',
        ],
        rows: comparisons.map(rowOf),
      },
    ];
  },
};

interface Comparison {
  readonly name: string;
  readonly before: readonly LoopFigures[];
  readonly now: readonly LoopFigures[];
}

function rowOf({ name, before, now }: Comparison): string[] {
  const [all, left] = [sumOf(before), sumOf(now)];
  const least = Math.min(...now.map((run, index) => saved(before[index]!.inputUsd[0]!, run.inputUsd[0]!)));
  return [
    name,
    count(all.inputTokens),
    count(left.inputTokens),
    percent(saved(all.inputTokens, left.inputTokens)),
    usd(all.inputUsd[0]!),
    usd(left.inputUsd[0]!),
    ...CACHED_SHARES.map((_, index) => percent(saved(all.inputUsd[index]!, left.inputUsd[index]!))),
    percent(least),
  ];
}

function figures({ calls }: WorkRun): LoopFigures {
  return figuresOf(calls.map(({ request }): ChatRequest => request));
}

async function inTurn<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}
