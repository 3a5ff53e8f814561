import { Progress } from '@phaseline/service';
import { runnerTool, ToolRegistry, type RunnerContext, type RunnerTool } from '@phaseline/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ToolWatch } from './tool-watch.js';

it('reports a tool that continues after its timeout, until it ends', async () => {
  let now = 0;
  const stubborn = Promise.withResolvers<{ content: string }>();
  const watch = new ToolWatch(new Progress({ limitMs: 60_000 }), { now: () => now });
  const tools = new ToolRegistry(
    watch.packs([
      {
        name: 'stubborn',
        tools: [
          runnerTool({
            name: 'stubborn',
            description: 'Does not listen to its signal.',
            input: z.object({}),
            effect: 'once',
            timeoutMs: 20,
            run: () => stubborn.promise,
          }),
        ],
      },
    ]),
  );
  const tool = tools.get('stubborn') as RunnerTool;
  const run = tool.run({ jobId: 'j1', callId: 'c1', signal: AbortSignal.abort() } as RunnerContext, {});
  now = 4_000;
  expect(watch.complaint()).toBeUndefined();
  now = 6_000;
  expect(watch.complaint()).toBe(
    'the tool stubborn (c1 of job j1) is still running 6 s after its start, although it was told to stop after 20 ms; restart this process to end it',
  );
  stubborn.resolve({ content: 'late' });
  await run;
  expect(watch.complaint()).toBeUndefined();
});

it('gives a slow tool the time it declares', async () => {
  let now = 0;
  const progress = new Progress({ limitMs: 1_000, now: () => now });
  const watch = new ToolWatch(progress, { graceMs: 500 });
  const slow = Promise.withResolvers<{ content: string }>();
  const [pack] = watch.packs([
    {
      name: 'slow',
      tools: [
        runnerTool({
          name: 'slow',
          description: 'Takes its time.',
          input: z.object({}),
          effect: 'pure',
          timeoutMs: 300_000,
          run: () => slow.promise,
        }),
      ],
    },
  ]);
  const [tool] = pack!.tools;
  const work = progress.run('call c1', () => (tool as RunnerTool).run({} as RunnerContext, {}));
  now = 300_000;
  expect(progress.complaint()).toBeUndefined();
  now = 300_501;
  expect(progress.complaint()).toMatch(/^call c1, which has started, has made no progress for 5 min/);
  slow.resolve({ content: 'done' });
  await work;
  expect(progress.complaint()).toBeUndefined();
});

it('watches dynamic tools with the timeout from the settings', async () => {
  let now = 0;
  const stubborn = Promise.withResolvers<{ content: string }>();
  const tool = runnerTool({
    name: 'mcp__a__b',
    description: 'Does not listen to its signal.',
    input: z.object({}),
    effect: 'once',
    timeoutMs: 20,
    adjust: () => ({ timeoutMs: 60_000 }),
    run: () => stubborn.promise,
  });
  const dynamic = { list: () => [], tool: (name: string) => (name === tool.name ? tool : undefined) };
  const watch = new ToolWatch(new Progress({ limitMs: 60_000 }), { now: () => now });
  const tools = new ToolRegistry(watch.packs([{ name: 'dynamic', tools: [], dynamic }]));
  expect(tools.get('mcp__a__c')).toBeUndefined();
  const run = (tools.get('mcp__a__b') as RunnerTool).run({ jobId: 'j1', callId: 'c1' } as RunnerContext, {});
  now = 65_000;
  expect(watch.complaint()).toBeUndefined();
  now = 65_001;
  expect(watch.complaint()).toContain('the tool mcp__a__b (c1 of job j1) is still running');
  stubborn.resolve({ content: 'late' });
  await run;
  expect(watch.complaint()).toBeUndefined();
});
