import { expect, it } from 'vitest';
import { countProcesses, countQueueWorkers, findHeartbeatAges, type ProcessSummary } from './summarise-processes.js';

const process = (service: string, more: Partial<ProcessSummary> = {}): ProcessSummary => ({
  ...{ service, isDead: false, silentForMs: 1_000, queues: [] },
  ...more,
});
const processes = [
  process('tool-runner', { queues: ['tools', 'repositories'] }),
  process('tool-runner', { queues: ['tools'], isDead: true, silentForMs: 60_000 }),
  process('orchestrator', { silentForMs: 2_500, queues: undefined }),
];

it('counts live and dead processes of each service', () => {
  expect(countProcesses(processes)).toEqual([
    { labels: { process: 'tool-runner', state: 'alive' }, value: 1 },
    { labels: { process: 'tool-runner', state: 'dead' }, value: 1 },
    { labels: { process: 'orchestrator', state: 'alive' }, value: 1 },
    { labels: { process: 'orchestrator', state: 'dead' }, value: 0 },
  ]);
});

it('a service is as old as its newest heartbeat, so a process that died does not count once another one runs', () => {
  expect(findHeartbeatAges(processes).map(({ labels, value }) => [labels['process'], value])).toEqual([
    ['tool-runner', 1],
    ['orchestrator', 2.5],
  ]);
});

it('only live processes handle queues', () => {
  const counted = countQueueWorkers(processes, ['tools', 'repositories', 'strategic']);
  expect(counted.map(({ labels, value }) => [labels['queue'], value])).toEqual([
    ['tools', 1],
    ['repositories', 1],
    ['strategic', 0],
  ]);
});
