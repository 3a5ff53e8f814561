import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, createThreePhasePolicy, parsePrompt } from './scripts.js';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await opened.close();
});

const MEBIBYTE = 1024 * 1024;
const line = 'word '.repeat(10 * MEBIBYTE);

/** A tool that returns one line of 50 MiB, and writes it as the memory, the experiences and the deliverable of the job. */
const pack: ToolPack = {
  name: 'long',
  tools: [
    defineRemoteTool({
      name: 'long_line',
      description: '',
      effect: 'pure',
      timeoutMs: 60_000,
      input: z.object({}),
      run: async () => {
        const content = Buffer.from(line);
        return {
          content: line,
          files: ['workspace.md', 'experiences.md', 'output/a.md'].map((path) => ({ path, content })),
        };
      },
    }),
  ],
};

it('a job continues with one line of 50 MiB as result, memory and deliverable, and no step decodes all of it', async () => {
  const subject = new Engine({
    store: opened.store,
    policy: createThreePhasePolicy((request) => {
      const steps = [
        call('long_line'),
        call('read_file', { path: 'output/a.md', from_byte: 30 * MEBIBYTE }),
        call('search_files', { query: 'word' }),
        call('edit_file', { path: 'output/a.md', old_text: 'word', new_text: 'x' }),
        call('append_file', { path: 'output/a.md', content: 'x' }),
      ];
      return steps[parsePrompt(request).turn] ?? call('todo_complete');
    }),
    packs: [pack],
    agent: {
      deliverables: ['output/a.md'],
      tools: {
        workspace: ['read_file', 'search_files', 'edit_file', 'append_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: ['long_line'],
      },
    },
  });
  const decode = TextDecoder.prototype.decode;
  let maxDecodedBytes = 0;
  vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (
    this: InstanceType<typeof TextDecoder>,
    bytes,
    options,
  ) {
    maxDecodedBytes = Math.max(maxDecodedBytes, bytes?.byteLength ?? 0);
    return decode.call(this, bytes, options);
  });
  const jobId = await subject.submitAndRun();
  await nextTurn();
  expect((await subject.loadJob(jobId)).status).toBe('completed');
  const results = (await subject.phaseEvents(jobId, 2)).filter(({ type }) =>
    /^ToolCall(?:Completed|Failed)$/.test(type),
  );
  expect(results.map(({ data }) => String(data['code'] ?? data['content']).slice(0, 40))).toEqual([
    expect.stringContaining('This result is long'),
    expect.stringContaining('word word'),
    expect.stringContaining('No matches in'),
    'too_large',
    'too_large',
    expect.any(String),
  ]);
  expect(maxDecodedBytes).toBeLessThanOrEqual(MEBIBYTE);
});
