import type { ToolLane } from '@phaseline/contracts';
import type { RehearsalPolicy } from '@phaseline/rehearsal';
import { createStepCall } from '../../step-calls.js';

/** The first steps of a job are not part of the gaps. */
const UNMEASURED_STEPS = 4;

/**
 * The model of the jobs: each answer is a call of the tool of a lane, and the last one completes the todo. Adds the milliseconds from each
 * answer of a job to its next request to `gaps`, which includes the way to the model and back.
 */
export function createStepPolicy(lane: ToolLane, stepsPerJob: number, gaps: number[]): RehearsalPolicy {
  const lastEnd = new Map<string, number>();
  return {
    name: 'bench',
    matches: () => true,
    answer: ({ messages }) => {
      const agent = /agent "(bench-[\w-]+)"/.exec(messages[0]?.content ?? '')?.[1] ?? '';
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      const before = lastEnd.get(agent);
      if (before !== undefined && turn >= UNMEASURED_STEPS) gaps.push(performance.now() - before);
      queueMicrotask(() => lastEnd.set(agent, performance.now()));
      const isLast = turn === stepsPerJob - 1;
      return { calls: [isLast ? { name: 'todo_complete', arguments: {} } : createStepCall(lane, turn)] };
    },
  };
}
