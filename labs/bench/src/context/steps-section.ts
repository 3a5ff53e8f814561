import type { PhaseEvent } from '@phaseline/domain';
import { requireCount } from '../bench-failed.js';
import { formatCount, formatPercent, formatUsd, type ContextSection } from './context-section.js';
import { computeFigures, savedShare, type LoopFigures } from './loop-figures.js';
import { buildReactRequests } from './react-loop.js';
import { runWork, type RunOptions, type WorkRun } from './run-work.js';

/*
 * Compares the tokens per step of a job with 200 steps in phases and of a plain ReAct loop with the same answers and results and
 * nothing removed. Calls for summaries cost tokens but do not count as steps.
 */
export const stepsSection: ContextSection = {
  name: 'steps',
  run: async ({ quick }) => {
    const work: RunOptions = { seed: 7, steps: quick ? 60 : 200, callsPerTodo: 4, todosPerPhase: 6 };
    const run = await runWork(work);
    const react = computeFigures(buildReactRequests(run));
    const last = await runWork({ ...work, context: { todoList: 'last' } });
    const steps = react.calls;
    // All rows must describe the same work, so that their tokens per step are comparable.
    for (const { events } of [run, last]) requireCount('steps in the log', countSteps(events), steps);
    const row = (name: string, figuresOfRun: LoopFigures): string[] => [
      name,
      formatCount(figuresOfRun.inputTokens / steps),
      formatCount(figuresOfRun.inputTokens),
      formatPercent(figuresOfRun.cachedTokens / figuresOfRun.inputTokens),
      formatCount(figuresOfRun.peakTokens),
      formatPercent(savedShare(react.inputTokens, figuresOfRun.inputTokens)),
      formatUsd(figuresOfRun.inputUsd[0]!),
      formatPercent(savedShare(react.inputUsd[0]!, figuresOfRun.inputUsd[0]!)),
    ];
    return [
      {
        title: `A job of ${steps} steps`,
        head: ['', 'tokens per step', 'tokens', 'cached', 'longest prompt', 'tokens saved', 'input USD', 'cost saved'],
        rows: [
          row('plain ReAct loop, everything kept', react),
          row('Phaseline, as shipped', figuresOfRun(run)),
          row('Phaseline, todo list last', figuresOfRun(last)),
        ],
      },
    ];
  },
};

/** Counts the answers that are steps; answers to calls for summaries are not. */
function countSteps(events: readonly PhaseEvent[]): number {
  return events.filter(({ type }) => type === 'ModelResponded').length;
}

function figuresOfRun({ calls }: WorkRun): LoopFigures {
  return computeFigures(calls.map(({ request }) => request));
}
