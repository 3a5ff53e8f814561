import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { call, createThreePhasePolicy, parsePrompt } from './scripts.js';

const opened = useStore();

const echo: ToolPack = {
  name: 'echo',
  tools: [
    defineRemoteTool({
      name: 'echo',
      description: '',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({}),
      run: async () => ({ content: 'echo' }),
    }),
  ],
};

/*
 * A worker sends a tool call and waits for the confirmation of the queue. On a loaded machine the confirmation may arrive after the
 * result of the call: the tool-runner has then woken the phase, and its message has reached a worker that still holds the phase.
 */
it('a phase that is woken while its worker still sends the tool call continues without the reconciler', async () => {
  const outcomes: string[] = [];
  const subject = new Engine({
    store: opened.store,
    policy: createThreePhasePolicy((request) => (parsePrompt(request).turn < 3 ? call('echo') : call('todo_complete'))),
    packs: [echo],
    agent: {
      tools: {
        workspace: ['write_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: ['echo'],
      },
    },
    afterSend: async (message) => {
      if (message.queue !== 'tools') return;
      while (subject.messages.length > 0)
        outcomes.push(await subject.deliver(subject.messages.shift()!, worker, runner));
    },
  });
  const worker = subject.worker();
  const runner = subject.toolRunner();
  const jobId = await subject.submit();
  await subject.run(jobId, { worker, runner });
  expect((await subject.loadJob(jobId)).status).toBe('completed');
  // Per call: the outcome of the tool-runner, and of the worker that receives the phase while it holds it.
  expect(outcomes).toEqual(['released', 'released', 'released', 'released', 'released', 'released']);
});
