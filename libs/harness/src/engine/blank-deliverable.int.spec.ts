import { expect, it } from 'vitest';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

const opened = useStore();

const REPORT = 'output/report.md';
/** Three bytes per character, so that a character spans every boundary at which a large file is read in parts. */
const WIDE_BLANKS = '\u3000'.repeat(60_000);

/** Submits the text as the deliverable and, if it is refused, a visible text. Returns the number of refusals. */
async function countRefusals(text: string): Promise<number> {
  const work = createThreePhasePolicy([call('write_file', { path: REPORT, content: text })]);
  const engine = new Engine({
    store: opened.store,
    policy: (request, signal) =>
      parsePrompt(request).last.includes('contain only whitespace')
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
  const jobId = await engine.submitAndRun();
  expect((await engine.loadJob(jobId)).status).toBe('completed');
  const events = await engine.phaseEvents(jobId, 3);
  const refused = events.filter(({ type }) => type === 'TransitionRejected');
  for (const { data } of refused) expect(data).toMatchObject({ gate: 'deliverables' });
  return refused.length;
}

it.each([
  ['spaces and line breaks', ' \n\t\r\n '],
  ['a byte order mark alone', '\ufeff'],
  ['a byte order mark and zero-width characters', `\ufeff${'\u200b\u200d\u2060'.repeat(50)}`],
  ['direction marks and soft hyphens', '\u202e\u2066\u00ad'],
  ['multi-byte blanks, larger than one read', WIDE_BLANKS],
  ['invisible filler characters', '\u3164\u2800\uffa0'.repeat(2_000)],
])('a deliverable of %s is refused, and the job completes once it has visible content', async (_what, text) => {
  expect(await countRefusals(text)).toBe(1);
});

it.each([
  ['one letter after multi-byte blanks', `${WIDE_BLANKS}x`],
  ['a four-byte character across a boundary', `${' '.repeat(65_534)}😀`],
  ['a byte order mark and one letter', '\ufeffx'],
])('a deliverable of %s is accepted', async (_what, text) => {
  expect(await countRefusals(text)).toBe(0);
});
