import type { PhaseEvent } from '@phaseline/domain';
import { requireCount } from '../bench-failed.js';
import { count, percent, usd, type ContextSection } from './context-section.js';
import { figuresOf, saved, type LoopFigures } from './loop-figures.js';
import { reactRequests } from './react-loop.js';
import { runWork, type RunOptions, type WorkRun } from './run-work.js';

/*
 * Tokens a step over a job of 200 steps in phases, against a plain ReAct loop that did the same: the same answers, the same
 * results, nothing ever taken away. Calls that only shorten the conversation cost tokens and are no steps.
 */
export const stepsSection: ContextSection = {
  name: 'steps',
  run: async ({ quick }) => {
    const work: RunOptions = { seed: 7, steps: quick ? 60 : 200, callsPerTodo: 4, todosPerPhase: 6 };
    const run = await runWork(work);
    const react = figuresOf(reactRequests(run));
    const last = await runWork({ ...work, context: { todoList: 'last' } });
    const steps = react.calls;
    // All rows are of the same work, or their tokens per step could not be compared.
    for (const { events } of [run, last]) requireCount('steps in the log', answersIn(events), steps);
    const row = (name: string, figures: LoopFigures): string[] => [
      name,
      count(figures.inputTokens / steps),
      count(figures.inputTokens),
      percent(figures.cachedTokens / figures.inputTokens),
      count(figures.peakTokens),
      percent(saved(react.inputTokens, figures.inputTokens)),
      usd(figures.inputUsd[0]!),
      percent(saved(react.inputUsd[0]!, figures.inputUsd[0]!)),
    ];
    return [
      {
        title: `A job of ${steps} steps`,
        head: ['', 'tokens a step', 'tokens', 'cached', 'longest prompt', 'tokens saved', 'input USD', 'money saved'],
        rows: [
          row('plain ReAct loop, everything kept', react),
          row('Phaseline, as shipped', figures(run)),
          row('Phaseline, todo list last', figures(last)),
        ],
      },
    ];
  },
};

/** Answers that are steps: those to a call that only shortens the conversation are none. */
function answersIn(events: readonly PhaseEvent[]): number {
  return events.filter(({ type }) => type === 'ModelResponded').length;
}

function figures({ calls }: WorkRun): LoopFigures {
  return figuresOf(calls.map(({ request }) => request));
}
