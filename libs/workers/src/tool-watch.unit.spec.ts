import { Progress } from '@phaseline/service';
import { defineRemoteTool, ToolRegistry, type RemoteToolContext, type RemoteTool } from '@phaseline/tools';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ToolWatch } from './tool-watch.js';

it('reports a tool that continues after its timeout, until it ends', async () => {
  let now = 0;
  const stubborn = Promise.withResolvers<{ content: string }>();
  const watch = new ToolWatch(new Progress({ limitMs: 60_000 }), { now: () => now });
  const tools = new ToolRegistry(
    watch.watchPacks([
      {
        name: 'stubborn',
        tools: [
          defineRemoteTool({
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
  const tool = tools.get('stubborn') as RemoteTool;
  const run = tool.run({ jobId: 'j1', callId: 'c1', signal: AbortSignal.abort() } as RemoteToolContext, {});
  now = 4_000;
  expect(watch.describeOverdue()).toBeUndefined();
  now = 6_000;
  expect(watch.describeOverdue()).toBe(
    'the tool stubborn (c1 of job j1) is still running 6 s after its start, although it was told to stop after 20 ms; restart this process to end it',
  );
  stubborn.resolve({ content: 'late' });
  await run;
  expect(watch.describeOverdue()).toBeUndefined();
});

it('gives a slow tool the time it declares', async () => {
  let now = 0;
  const progress = new Progress({ limitMs: 1_000, now: () => now });
  const watch = new ToolWatch(progress, { graceMs: 500 });
  const slow = Promise.withResolvers<{ content: string }>();
  const [pack] = watch.watchPacks([
    {
      name: 'slow',
      tools: [
        defineRemoteTool({
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
  const work = progress.run('call c1', () => (tool as RemoteTool).run({} as RemoteToolContext, {}));
  now = 300_000;
  expect(progress.describeStall()).toBeUndefined();
  now = 300_501;
  expect(progress.describeStall()).toMatch(/^call c1, which has started, has made no progress for 5 min/);
  slow.resolve({ content: 'done' });
  await work;
  expect(progress.describeStall()).toBeUndefined();
});

it('watches dynamic tools with the timeout from the settings', async () => {
  let now = 0;
  const stubborn = Promise.withResolvers<{ content: string }>();
  const tool = defineRemoteTool({
    name: 'mcp__a__b',
    description: 'Does not listen to its signal.',
    input: z.object({}),
    effect: 'once',
    timeoutMs: 20,
    adjust: () => ({ timeoutMs: 60_000 }),
    run: () => stubborn.promise,
  });
  const dynamic = { list: () => [], get: (name: string) => (name === tool.name ? tool : undefined) };
  const watch = new ToolWatch(new Progress({ limitMs: 60_000 }), { now: () => now });
  const tools = new ToolRegistry(watch.watchPacks([{ name: 'dynamic', tools: [], dynamic }]));
  expect(tools.get('mcp__a__c')).toBeUndefined();
  const run = (tools.get('mcp__a__b') as RemoteTool).run({ jobId: 'j1', callId: 'c1' } as RemoteToolContext, {});
  now = 65_000;
  expect(watch.describeOverdue()).toBeUndefined();
  now = 65_001;
  expect(watch.describeOverdue()).toContain('the tool mcp__a__b (c1 of job j1) is still running');
  stubborn.resolve({ content: 'late' });
  await run;
  expect(watch.describeOverdue()).toBeUndefined();
});
