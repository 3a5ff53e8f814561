import { expect, it } from 'vitest';
import { createPhasedAgent, planPhasedJob } from './phased-job.js';

it('divides the full size into 100 phases of 240 steps', () => {
  expect(planPhasedJob(24_000)).toEqual({ phases: 100, stepsPerPhase: 240, todosPerPhase: 12 });
});

it.each([20, 60, 480, 1_000, 24_000])(
  'a phase of a job of %i steps completes its last todo with its last step',
  (size) => {
    const job = planPhasedJob(size);
    let answers = 0;
    const model = createPhasedAgent(job, () => (answers += 1)).policies.at(-1)!;
    const calls: string[] = [];
    let content: string | null = null;
    for (let step = 0; step < job.stepsPerPhase; step += 1) {
      const messages = content === null ? [] : [{ role: 'assistant', content }];
      const answer = model.answer({ model: 'rehearsal', messages, tools: [], toolNames: [] });
      content = answer.content ?? null;
      calls.push(answer.calls![0]!.name);
    }
    expect(answers).toBe(job.stepsPerPhase);
    expect(calls.filter((name) => name === 'todo_complete')).toHaveLength(job.todosPerPhase);
    expect(calls.slice(-2)).toEqual(['append_file', 'todo_complete']);
    expect(calls.filter((name) => name === 'append_file')).toHaveLength(1);
  },
);
