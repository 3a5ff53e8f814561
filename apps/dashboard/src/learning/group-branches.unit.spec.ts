import type { JobSummary } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { countBranches, groupBranches } from './group-branches.js';

const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0, steps: 0 };

function branch(work: string, key: string, changes: Partial<JobSummary> = {}) {
  const labels = { 'phaseline-branch': work, 'phaseline-branch-key': key };
  return {
    ...{ jobId: `${work}/${key}` as JobId, agent: 'writer', status: 'completed' as const, usage, labels },
    createdAt: '2030-01-02T00:00:00Z',
    ...changes,
  };
}

it('branches are grouped by run, each candidate before the recorded definition at the same points, without its probes', () => {
  const groups = groupBranches([
    branch('nightly-a-0123456789ab', '20-experiment-baseline-21-1'),
    branch('nightly-a-0123456789ab', '20-experiment-nightly-a-0123456789ab-21-2'),
    branch('nightly-a-0123456789ab', '20-experiment-nightly-a-0123456789ab-21-1'),
    branch('nightly-a-0123456789ab', '20-experiment-nightly-a-0123456789ab-21-probe'),
    branch('nightly-a-ba9876543210', '20-experiment-nightly-a-ba9876543210-21-probe'),
    branch('bisect-1', '9-bisect-4-1', { createdAt: '2030-01-01T00:00:00Z' }),
    branch('bisect-1', '120-bisect-30-1', { createdAt: '2030-01-01T00:00:00Z' }),
  ]);
  expect(
    groups.map(({ kind, run, newest, sides }) => ({
      ...{ kind, run, newest },
      sides: sides.map(({ title, probes, branches }) => [title, probes, branches.map(({ position }) => position)]),
    })),
  ).toEqual([
    {
      ...{ kind: 'experiment', run: 'nightly-a', newest: '2030-01-02T00:00:00Z' },
      sides: [
        ['Candidate 0123456789ab', 1, [20, 20]],
        ['As recorded', 0, [20]],
        ['Candidate ba9876543210', 1, []],
      ],
    },
    {
      ...{ kind: 'bisection', run: '1', newest: '2030-01-01T00:00:00Z' },
      sides: [
        ['After 4 answers, from 9', 0, [9]],
        ['After 30 answers, from 120', 0, [120]],
      ],
    },
  ]);
});

it.each([
  ['a label of a person', 'main', 'x'],
  ['no key', '1-0123456789ab', ''],
  ['a name without the hash of a candidate', 'main', '1-experiment-main-2-1'],
  ['a bisection with the name of an experiment', '1-0123456789ab', '1-bisect-2-1'],
])('%s is no branch that is compared', (_, work, key) => {
  expect(groupBranches([branch(work, key)])).toEqual([]);
  expect(groupBranches([{ ...branch('', ''), labels: {} }])).toEqual([]);
});

it('a branch that reached its budget counts as neither completed nor failed, as in the command', () => {
  const failure = { code: 'cost_limit', message: 'spent' };
  const branches = [
    branch('w', 'k'),
    branch('w', 'k', { status: 'failed', failure }),
    branch('w', 'k', { status: 'failed', failure: { ...failure, code: 'stuck' } }),
    branch('w', 'k', { status: 'cancelled' }),
    branch('w', 'k', { status: 'running' }),
  ].map((job) => ({ position: 1, job }));
  expect(countBranches({ branches })).toEqual({ completed: 1, failed: 2, stopped: 1, open: 1 });
});
