import type { LiveEvent } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { beforeEach, expect, it } from 'vitest';
import { LiveHub, SILENT_TAB_MS, type HubMessage, type Tab } from './live-hub.js';

const [one, two] = ['1', '2'].map((end) => `0190a0b0-0000-7000-8000-00000000000${end}` as JobId) as [JobId, JobId];
const hello: LiveEvent = { type: 'hello', release: '1', watching: [] };

interface Connection {
  readonly watch: readonly JobId[];
  readonly signal: AbortSignal;
  send(event: LiveEvent): void;
  fail(): void;
}
let connections: Connection[];
let now: number;
let hub: LiveHub;

beforeEach(() => {
  connections = [];
  now = 0;
  hub = new LiveHub(
    async function* ({ watch, signal }) {
      let next = Promise.withResolvers<LiveEvent>();
      const queue: Promise<LiveEvent>[] = [next.promise];
      connections.push({
        ...{ watch, signal },
        send: (event) => {
          next.resolve(event);
          next = Promise.withResolvers();
          queue.push(next.promise);
        },
        fail: () => next.reject(new Error('refused')),
      });
      for (;;) yield await queue.shift()!;
    },
    () => now,
  );
});

function buildTab(): Tab & { readonly received: HubMessage[] } {
  const received: HubMessage[] = [];
  return { received, send: (message) => received.push(message) };
}
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const eventsOf = ({ received }: { readonly received: readonly HubMessage[] }): readonly string[] =>
  received.map((message) => (message.kind === 'event' ? message.event.type : message.status));

it('opens one connection for all tabs, and closes it after the last', async () => {
  const tabs = Array.from({ length: 10 }, buildTab);
  for (const tab of tabs) hub.receive(tab, { kind: 'alive' });
  await settle();
  expect(connections).toHaveLength(1);
  connections[0]!.send(hello);
  connections[0]!.send({ type: 'inbox' });
  await settle();
  for (const tab of tabs) expect(eventsOf(tab)).toEqual(['connecting', 'live', 'hello', 'inbox']);
  for (const tab of tabs.slice(1)) hub.receive(tab, { kind: 'bye' });
  expect(connections[0]!.signal.aborted).toBe(false);
  hub.receive(tabs[0]!, { kind: 'bye' });
  expect(connections[0]!.signal.aborted).toBe(true);
  expect(hub.size).toBe(0);
});

it('watches the jobs of all tabs, and lets the tabs read again after a change of connection', async () => {
  const [a, b] = [buildTab(), buildTab()];
  hub.receive(a, { kind: 'watch', jobIds: [one] });
  hub.receive(b, { kind: 'watch', jobIds: [two, one] });
  hub.receive(b, { kind: 'alive' });
  await settle();
  expect(connections.map(({ watch }) => watch)).toEqual([[one], [one, two]]);
  expect(connections.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  connections[1]!.send(hello);
  await settle();
  expect(eventsOf(a)).toEqual(['connecting', 'live', 'hello', 'resynchronise']);
});

it('forgets a tab that crashed, but not a hidden one', async () => {
  const [crashed, hidden] = [buildTab(), buildTab()];
  hub.receive(crashed, { kind: 'watch', jobIds: [one] });
  hub.receive(hidden, { kind: 'alive' });
  await settle();
  for (now = 0; now <= SILENT_TAB_MS + 60_000; now += 60_000) {
    hub.receive(hidden, { kind: 'alive' });
    hub.expire();
  }
  expect(hub.size).toBe(1);
  expect(connections.at(-1)!.watch).toEqual([]);
});

it('reports that the server refuses, and tries again when a tab is heard', async () => {
  const tab = buildTab();
  hub.receive(tab, { kind: 'alive' });
  await settle();
  connections[0]!.fail();
  await settle();
  expect(eventsOf(tab)).toEqual(['connecting', 'ended']);
  hub.receive(tab, { kind: 'alive' });
  await settle();
  expect(connections).toHaveLength(2);
});
