import { afterAll, beforeAll, expect, it } from 'vitest';
import { Engine } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, calls, threePhases, where } from './scripts.js';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

const REPORT = 'output/report.md';
/** Three bytes each, so that one of them lies across every boundary at which a large file is read in parts. */
const WIDE_BLANKS = '\u3000'.repeat(60_000);

/** Hands the text in as the deliverable; where that is refused, a text that shows something. Returns how often it was refused. */
async function refusals(text: string): Promise<number> {
  const work = threePhases((request) =>
    where(request).turn === 0 ? call('write_file', { path: REPORT, content: text }) : call('todo_complete'),
  );
  const engine = new Engine({
    store: opened.store,
    policy: (request, signal) =>
      where(request).last.includes('nothing but blanks')
        ? calls(
            ['write_file', { path: REPORT, content: 'The report.' }],
            ['job_complete', { summary: 's', confidence: 1 }],
          )
        : work(request, signal),
    agent: {
      tools: {
        workspace: ['write_file'],
        strategic: ['todo_write', 'todo_complete', 'job_complete'],
        tactical: ['todo_complete'],
        domain: [],
      },
      deliverables: [REPORT],
    },
  });
  const jobId = await engine.submit();
  await engine.run(jobId);
  expect((await engine.histories.job(jobId))!.status).toBe('completed');
  const events = await engine.phaseEvents(jobId, 3);
  const refused = events.filter(({ type }) => type === 'TransitionRejected');
  for (const { data } of refused) expect(data).toMatchObject({ gate: 'deliverables' });
  return refused.length;
}

it.each([
  ['spaces and line ends', ' \n\t\r\n '],
  ['a byte order mark alone', '\ufeff'],
  ['a byte order mark and zero-width characters', `\ufeff${'\u200b\u200d\u2060'.repeat(50)}`],
  ['direction marks and soft hyphens', '\u202e\u2066\u00ad'],
  ['blanks of several bytes, larger than what is read at once', WIDE_BLANKS],
  ['fillers that are drawn as nothing', '\u3164\u2800\uffa0'.repeat(2_000)],
])('a deliverable of %s is refused, and the job completes once it shows something', async (_what, text) => {
  expect(await refusals(text)).toBe(1);
});

it.each([
  ['one letter behind blanks of several bytes', `${WIDE_BLANKS}x`],
  ['a character of four bytes across a boundary', `${' '.repeat(65_534)}😀`],
  ['a byte order mark and one letter', '\ufeffx'],
])('a deliverable of %s is taken', async (_what, text) => {
  expect(await refusals(text)).toBe(0);
});
