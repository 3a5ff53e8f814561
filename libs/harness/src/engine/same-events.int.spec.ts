import { parseStreamName } from '@phaseline/domain';
import type { EventLog, EventStore, StreamAppend } from '@phaseline/event-store';
import { deriveEventId } from '@phaseline/repository';
import { expect, it } from 'vitest';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { PLAN_ONE_TODO } from './scripts.js';

const opened = useStore();

/**
 * Wraps the log as if workers derived the same event ids for the same position in a phase, so that the log treats the second of two
 * appends as a repetition of the first. Appends to phases wait until `workers` of them have arrived, once.
 */
function withDerivedIds(store: EventStore, workers: number): EventLog {
  const allArrived = Promise.withResolvers<void>();
  let arrived = 0;
  const derive = (append: StreamAppend): StreamAppend => ({
    ...append,
    events: append.events.map((event, index) => ({
      ...event,
      eventId: deriveEventId(`${append.streamId}/${append.expectedVersion}/${index}`),
    })),
  });
  return new Proxy<EventLog>(store, {
    get: (_target, key) => {
      if (key !== 'append') {
        const member: unknown = Reflect.get(store, key);
        return typeof member === 'function' ? (member.bind(store) as unknown) : member;
      }
      return async (appends: Parameters<EventLog['append']>[0], options: Parameters<EventLog['append']>[1]) => {
        const list = [appends].flat() as StreamAppend[];
        if (list.length > 1 || parseStreamName(list[0]!.streamId)?.kind !== 'phase')
          return store.append(appends, options);
        arrived += 1;
        if (arrived === workers) allArrived.resolve();
        await allArrived.promise;
        return store.append(list.map(derive), options);
      };
    },
  });
}

it('if several workers append the same events, only the one that holds the call asks the model', async () => {
  const names = ['one', 'two', 'three'];
  const subject = new Engine({ store: withDerivedIds(opened.store, names.length), policy: () => PLAN_ONE_TODO });
  const jobId = await subject.submit();
  await subject.driver.advance(jobId);
  const asked: string[] = [];
  const allEnded = Promise.withResolvers<void>();
  let refused = 0;
  const outcomes = await Promise.all(
    names.map(async (name) => {
      subject.alive.add(name);
      const worker = subject.worker(name, async () => {
        asked.push(name);
        if (asked.length + refused === names.length) allEnded.resolve();
        await allEnded.promise;
        return PLAN_ONE_TODO;
      });
      const outcome = await worker.run({ jobId, phase: 1 }, new AbortController().signal);
      if (outcome === 'owned-elsewhere') refused += 1;
      if (asked.length + refused === names.length) allEnded.resolve();
      return outcome;
    }),
  );
  expect(asked).toHaveLength(1);
  expect(outcomes.toSorted()).toEqual(['owned-elsewhere', 'owned-elsewhere', 'released']);
  const events = await subject.phaseEvents(jobId, 1);
  const started = events.filter(({ type }) => type === 'ModelCallStarted');
  expect(started.map(({ data }) => data['leaseOwner'])).toEqual(asked);
  expect(events.filter(({ type }) => type === 'ModelResponded')).toHaveLength(1);
});
