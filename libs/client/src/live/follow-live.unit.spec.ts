import { expect, it } from 'vitest';
import { Unauthorized } from '../http/client-errors.js';
import { PhaselineClient } from '../phaseline-client.js';
import { createProblem } from '../problem/problem.js';
import {
  closeConnection,
  respondWithJson,
  respondWithStream,
  startScriptedServer,
} from '../testing/scripted-server.js';
import { encodeLiveEvent, type LiveEvent } from './live-event.js';

const jobId = '0190a0b0-0000-7000-8000-000000000001';
const hello: LiveEvent = { type: 'hello', release: '1.0.0', watching: [{ jobId, hasAnswers: true }] };
const jobs: LiveEvent = { type: 'jobs', jobIds: [jobId] };
const answer: LiveEvent = {
  type: 'answer',
  jobId,
  phase: 1,
  step: 1,
  attempt: 1,
  sequence: 0,
  text: 'ü\n',
  reset: true,
};

it('yields events, reconnects when a connection is lost, and then says that hints were missed', async () => {
  await using server = await startScriptedServer(
    respondWithJson(503, createProblem('not_ready', 'starting')),
    respondWithStream([': keep-alive\n\n', encodeLiveEvent(hello), encodeLiveEvent(jobs)], 'break'),
    closeConnection,
    respondWithStream([encodeLiveEvent(hello), 'event: later\ndata: {}\n\n', encodeLiveEvent(answer)], 'stay'),
  );
  const client = new PhaselineClient({ baseUrl: server.baseUrl });
  const stop = new AbortController();
  const failures: number[] = [];
  const backoff = (count: number): number => {
    failures.push(count);
    return 1;
  };
  const events: LiveEvent[] = [];
  await expect(async () => {
    for await (const event of client.live({ watch: [jobId], signal: stop.signal, backoff })) {
      events.push(event);
      if (event.type === 'answer') stop.abort(new Error('seen enough'));
    }
  }).rejects.toThrow('seen enough');
  expect(events).toEqual([hello, jobs, hello, { type: 'resynchronise' }, answer]);
  expect(failures).toEqual([1, 1, 2]);
  expect(server.requests.map(({ url }) => url.search)).toEqual(Array(4).fill(`?watch=${jobId}`));
});

it('throws an error that would recur', async () => {
  await using server = await startScriptedServer(respondWithJson(401, createProblem('unauthorized', 'no key')));
  const client = new PhaselineClient({ baseUrl: server.baseUrl });
  await expect(client.live().next()).rejects.toThrow(Unauthorized);
  expect(server.requests).toHaveLength(1);
});
