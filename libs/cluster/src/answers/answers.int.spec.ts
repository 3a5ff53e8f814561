import { randomUUID } from 'node:crypto';
import { cutConnections, useTestDatabase, waitUntil } from '@phaseline/event-store/testing';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { ControlListener } from '../control/control-listener.js';
import { AnswerPublisher } from './answer-publisher.js';
import { AnswerWatcher, type WatchedAnswer } from './answer-watcher.js';

const pools = useTestDatabase();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

async function startListener(applicationName: string): Promise<ControlListener> {
  const listener = new ControlListener(pools.database.serviceUrl, { applicationName });
  await listener.start();
  cleanUp.push(() => listener.close());
  return listener;
}

async function startPublisher(): Promise<AnswerPublisher> {
  const publisher = new AnswerPublisher(pools.service, await startListener('spec-worker'));
  cleanUp.push(() => publisher.close());
  return publisher;
}

async function startWatcher(): Promise<AnswerWatcher> {
  const watcher = new AnswerWatcher(pools.service, await startListener('spec-orchestrator'));
  cleanUp.push(() => watcher.close());
  return watcher;
}

/** Records everything that is sent on a channel. */
async function record(channel: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: pools.database.serviceUrl });
  const payloads: string[] = [];
  client.on('notification', ({ payload }) => payloads.push(payload ?? ''));
  await client.connect();
  await client.query(`LISTEN ${channel}`);
  cleanUp.push(() => client.end());
  return payloads;
}

const createCall = () => ({ jobId: randomUUID(), phase: 1, step: 2, attempt: 1 });

/** Watches a job, and keeps every state of its answer. */
function follow(watcher: AnswerWatcher, jobId: string): WatchedAnswer[] {
  const states: WatchedAnswer[] = [];
  const watch = watcher.watch(jobId, (answer) => states.push(answer));
  cleanUp.push(() => watch[Symbol.dispose]());
  return states;
}

describe('the answer to a model call', () => {
  it('reaches a watcher while it is written, in pieces that PostgreSQL accepts', async () => {
    const [publisher, watcher, payloads] = [
      await startPublisher(),
      await startWatcher(),
      await record('phaseline_answer'),
    ];
    const call = createCall();
    const states = follow(watcher, call.jobId);
    const recorder = publisher.open(call);
    await waitUntil(() => states.length === 1 || undefined);
    expect(states[0]).toMatchObject({ ...call, text: '', hasEnded: false });
    // Characters that JSON escapes, and pairs that a piece may cut in two.
    const text = '🙂"\u0001\n'.repeat(4_000);
    recorder.add(text.slice(0, 10_001));
    recorder.add(text.slice(10_001));
    await waitUntil(() => states.at(-1)?.text === text || undefined);
    expect(states.at(-1)!.hasEnded).toBe(false);
    recorder.add('end');
    recorder.end();
    await waitUntil(() => states.at(-1)?.hasEnded || undefined);
    expect(states.at(-1)!.text).toBe(`${text}end`);
    expect(payloads.length).toBeGreaterThan(3);
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThanOrEqual(7_900);
  });

  it('is not published while nobody watches its job', async () => {
    const [publisher, watcher] = [await startPublisher(), await startWatcher()];
    const [answers, watches] = [await record('phaseline_answer'), await record('phaseline_watch')];
    const [watched, unwatched] = [createCall(), createCall()];
    const quiet = publisher.open(unwatched);
    quiet.add('nobody reads this');
    quiet.end();
    const before = publisher.open(watched);
    before.add('text');
    // Longer than the interval between publications.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([answers, watches]).toEqual([[], []]);
    // One who joins late receives the answer from its beginning.
    const states = follow(watcher, watched.jobId);
    await waitUntil(() => states.at(-1)?.text === 'text' || undefined);
    expect(watches).toHaveLength(1);
    expect(answers).toHaveLength(1);
    expect(answers.join()).not.toContain(unwatched.jobId);
  });

  it('begins again with another attempt, and what a failed one wrote is void', async () => {
    const [publisher, watcher] = [await startPublisher(), await startWatcher()];
    const call = createCall();
    const states = follow(watcher, call.jobId);
    const recorder = publisher.open(call);
    recorder.add('wrong');
    await waitUntil(() => states.at(-1)?.text === 'wrong' || undefined);
    recorder.restart(2);
    await waitUntil(() => states.at(-1)?.attempt === 2 || undefined);
    expect(states.at(-1)).toMatchObject({ text: '', hasEnded: false });
    recorder.add('right');
    recorder.end();
    await waitUntil(() => states.at(-1)?.hasEnded || undefined);
    expect(states.at(-1)).toMatchObject({ attempt: 2, text: 'right' });
  });

  it('reaches every watcher, also in another process and after the first one', async () => {
    const [publisher, first, second] = [await startPublisher(), await startWatcher(), await startWatcher()];
    const call = createCall();
    const early = follow(first, call.jobId);
    const recorder = publisher.open(call);
    recorder.add('one');
    await waitUntil(() => early.at(-1)?.text === 'one' || undefined);
    const late = [follow(second, call.jobId), follow(first, call.jobId)];
    recorder.add(' two');
    for (const states of [early, ...late]) await waitUntil(() => states.at(-1)?.text === 'one two' || undefined);
    expect(early.map(({ text }) => text)).toEqual([...new Set(early.map(({ text }) => text))]);
  });

  it('is complete after the connection of a watcher was cut', async () => {
    const [publisher, watcher] = [await startPublisher(), await startWatcher()];
    const call = createCall();
    const states = follow(watcher, call.jobId);
    const recorder = publisher.open(call);
    recorder.add('before ');
    await waitUntil(() => states.at(-1)?.text === 'before ' || undefined);
    expect(await cutConnections(pools, 'spec-orchestrator')).toBe(1);
    recorder.add('meanwhile ');
    await new Promise((resolve) => setTimeout(resolve, 400));
    recorder.add('after');
    await waitUntil(() => states.at(-1)?.text === 'before meanwhile after' || undefined);
  });

  it('is not taken from a payload that is not one', async () => {
    const watcher = await startWatcher();
    const call = createCall();
    const states = follow(watcher, call.jobId);
    const send = (payload: string) => pools.service.query(`SELECT pg_notify('phaseline_answer', $1)`, [payload]);
    const sendPiece = (offset: number, text: string) => send(JSON.stringify({ ...call, attemptId: 'a', offset, text }));
    // A watcher that has just begun does not listen yet. A piece that arrives twice counts once.
    await waitUntil(async () => {
      await sendPiece(0, 'va');
      return states.length > 0 || undefined;
    });
    await send('{');
    await sendPiece(-1, 'x');
    await sendPiece(2, 'lid');
    await waitUntil(() => states.length > 1 || undefined);
    expect(states.map(({ text }) => text)).toEqual(['va', 'valid']);
  });
});
