import { expect, it } from 'vitest';
import { groupProfile, nameGroup } from './group-profile.js';

it.each([
  ['', '(garbage collector)', 'gc'],
  ['', '(idle)', 'idle'],
  ['', '(program)', 'program'],
  ['', 'parse', 'native'],
  ['node:internal/streams/writable', 'write', 'node:*'],
  ['file:///code/node_modules/pg/lib/client.js', 'query', 'pg'],
  ['file:///code/node_modules/bullmq/node_modules/@redis/client/index.js', 'send', '@redis/client'],
  ['file:///code/libs/event-store/dist/append/group-commit.js', 'run', 'libs/event-store'],
  ['file:///code/libs/packs/inline/dist/index.js', 'run', 'libs/packs/inline'],
  ['file:///code/labs/bench/dist/step-bench.js', 'measure', 'labs/bench'],
  ['evalmachine.<anonymous>', 'run', 'others'],
])('a function of "%s" named %s is of the group %s', (url, functionName, group) => {
  expect(nameGroup({ url, functionName })).toBe(group);
});

it('sums the time from each sample to the next one by group', () => {
  const createNode = (id: number, url: string, functionName: string) => ({
    id,
    callFrame: { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 },
  });
  const profile = {
    nodes: [
      createNode(1, '', '(idle)'),
      createNode(2, '/node_modules/pg/a.js', 'a'),
      createNode(3, '/node_modules/pg/b.js', 'b'),
    ],
    ...{ startTime: 0, endTime: 1_000 },
    samples: [1, 2, 3, 2, 1],
    timeDeltas: [5, 100, 20, 30, 40],
  };
  expect(groupProfile(profile)).toEqual([
    { name: 'idle', micros: 100 },
    { name: 'pg', micros: 90 },
  ]);
});
