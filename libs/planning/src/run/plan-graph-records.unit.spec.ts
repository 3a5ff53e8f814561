import { expect, it } from 'vitest';
import { schedulePlan } from '../export/export.fixture.js';
import { buildDependency, buildNode, buildPlan } from '../stage/stage.fixture.js';
import { listPlanRecords } from './plan-graph-records.js';

it('stores a recurring task once, and a dependency on a container as one on each of its tasks', () => {
  const plan = schedulePlan(
    buildPlan(
      [
        buildNode('p'),
        buildNode('p.m'),
        buildNode('p.m.a', { recurrence: 'FREQ=DAILY;COUNT=3' }),
        buildNode('p.-.b', { agent: 'writer' }),
        buildNode('q'),
        buildNode('q.-.c'),
        buildNode('q.-.d'),
      ],
      { dependencies: [buildDependency('p.m FS q')] },
    ),
  );
  const { goal, milestones, tasks, dependencies } = listPlanRecords(plan, 'plan', 'ab');
  expect(goal).toEqual({
    ...{ id: 'plan', goal: plan.context.goal, user: plan.context.user, contentHash: 'ab' },
    pattern: 'hybrid_project_cycle',
  });
  expect(milestones).toEqual([{ id: 'plan/p.m', title: 'Title of p.m', parent: 'plan' }]);
  expect(tasks.map(({ id, parent, agent }) => [id, parent, agent])).toEqual([
    ['plan/p.m.a', 'plan/p.m', ''],
    ['plan/p.-.b', 'plan', 'writer'],
    ['plan/q.-.c', 'plan', ''],
    ['plan/q.-.d', 'plan', ''],
  ]);
  expect(tasks[0]).toMatchObject({ start: '2027-01-04T08:00:00.000Z', end: '2027-01-06T09:00:00.000Z' });
  expect(dependencies).toEqual([
    { from: 'plan/p.m', to: 'plan/q.-.c', kind: 'FS' },
    { from: 'plan/p.m', to: 'plan/q.-.d', kind: 'FS' },
  ]);
});
