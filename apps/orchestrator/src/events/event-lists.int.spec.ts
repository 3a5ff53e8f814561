import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWithLongJob } from '../testing/long-job.js';

let subject: Awaited<ReturnType<typeof startWithLongJob>>;
let client: PhaselineClient;
let jobId: string;
beforeAll(async () => {
  subject = await startWithLongJob({ phases: 2, eventsPerPhase: 500 });
  client = new PhaselineClient({ baseUrl: subject.orchestrator.url });
  jobId = subject.jobId;
}, 60_000);
afterAll(() => subject?.stop());

describe('the index of the events of a job', () => {
  it('says where each page begins, so that every page can be read without the others', async () => {
    const all = await subject.orchestrator.store.readCorrelation(jobId);
    const index = await client.eventIndex(jobId, { every: 200 });
    expect(index.count).toBe(all.length);
    expect(index.lastPosition).toBe(all.at(-1)!.position);
    expect(index.anchors).toHaveLength(Math.ceil(all.length / 200));
    for (const [page, { position, at }] of index.anchors.entries()) {
      const { items } = await client.eventPage(jobId, { after: position, limit: 200 });
      expect(items.map((event) => event.eventId)).toEqual(
        all.slice(page * 200, (page + 1) * 200).map((event) => event.eventId),
      );
      expect(Date.parse(at)).toBe(Math.floor(Date.parse(items[0]!.recordedAt)));
    }
  });

  it('is extended from its last anchor', async () => {
    const whole = await client.eventIndex(jobId, { every: 100 });
    const known = whole.anchors.slice(0, 4);
    const rest = await client.eventIndex(jobId, { every: 100, after: known.at(-1)!.position });
    expect([...known.slice(0, -1), ...rest.anchors]).toEqual(whole.anchors);
    expect(300 + rest.count).toBe(whole.count);
    expect(await client.eventIndex(jobId, { after: whole.lastPosition! })).toEqual({ count: 0, anchors: [] });
  });
});

describe('rows of events', () => {
  it('have a summary of one line instead of data, so 200 of them are small', async () => {
    const page = await client.eventRows(jobId, { limit: 200 });
    const whole = await client.eventPage(jobId, { limit: 200 });
    expect(page.items.map(({ position, type }) => [position, type])).toEqual(
      whole.items.map(({ position, type }) => [position, type]),
    );
    expect(page.nextAfter).toBe(whole.nextAfter);
    expect(page.items[0]).toMatchObject({
      type: 'JobSubmitted',
      actor: 'bench',
      summary: 'bench · workflow long · 1 file',
    });
    expect(page.items[0]).not.toHaveProperty('phase');
    expect(page.items.find(({ type }) => type === 'ToolCallCompleted')).toMatchObject({ phase: 1, durationMs: 20 });
    expect(Math.max(...page.items.map(({ summary }) => summary.length))).toBeLessThanOrEqual(161);
    expect(page.items.filter(({ summary }) => /[\r\n]/.test(summary))).toEqual([]);
    const [rowBytes, eventBytes] = [page, whole].map((value) => JSON.stringify(value).length);
    expect(rowBytes).toBeLessThan(60_000);
    expect(rowBytes! * 3).toBeLessThan(eventBytes!);
  });

  it('can be selected by type', async () => {
    const { items } = await client.eventRows(jobId, { types: ['JobSubmitted', 'PhaseEnded'] });
    expect(items.map(({ type }) => type)).toEqual(['JobSubmitted', 'PhaseEnded', 'PhaseEnded']);
  });

  it('of a job that does not exist are not found', async () => {
    const unknown = '0190a0b0-0000-7000-8000-000000000001';
    await expect(client.eventRows(unknown)).rejects.toMatchObject({ code: 'job_not_found' });
    await expect(client.eventIndex(unknown)).rejects.toMatchObject({ code: 'job_not_found' });
  });
});
