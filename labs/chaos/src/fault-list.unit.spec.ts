import { faultPointNames } from '@phaseline/fault-points';
import { describe, expect, it } from 'vitest';
import { buildFullFaultList } from './fault-list.js';

const getPart = (name: string): string => name.split('.', 1)[0]!;

describe.each(['postgres', 'redis'] as const)('faults with queues on %s', (backend) => {
  const names = buildFullFaultList(backend, 1).map(({ name }) => name);

  it('kill and stop processes at every fault point, but for those that only specs reach', () => {
    const points = names.flatMap((name) => /^SIG(?:KILL|STOP) at (\S+)$/.exec(name)?.[1] ?? []);
    const ofSpecs = faultPointNames.filter((name) =>
      ['repository', 'follow-on', 'cold-storage'].includes(getPart(name)),
    );
    expect(points.toSorted()).toEqual(
      faultPointNames
        .filter((name) => !ofSpecs.includes(name))
        .flatMap((name) => [name, name])
        .toSorted(),
    );
  });

  it('cut the connections on which messages are handed over', () => {
    const server = backend === 'redis' ? 'Redis' : 'PostgreSQL';
    expect(names.filter((name) => name.startsWith('connections for handing over'))).toEqual(
      Array(2).fill(`connections for handing over cut by ${server}`),
    );
  });
});
