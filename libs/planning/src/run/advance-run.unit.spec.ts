import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { parseInstant } from '../calendar/instant.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import { generatePlan } from '../grammar/valid-plan.fixture.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { schedulePlan } from '../export/export.fixture.js';
import { buildDependency, buildNode, buildPlan } from '../stage/stage.fixture.js';
import { decideRunStep } from './advance-run.js';
import type { ApprovedPlan } from '../artifacts/approved-plan.js';
import { endItem, replaceSchedule, retryItem, startItems } from './change-run.js';
import { listPlannedItems, type PlannedItem } from './planned-items.js';
import type { PlanRun } from './plan-run.js';

const PLANS = Number(process.env['PLANNING_SAMPLE'] ?? 60);
const patterns = readShippedPatterns();
const fresh = (people: PlanRun['people']): PlanRun => ({
  planId: 'p',
  contentHash: 'a'.repeat(64),
  people,
  items: {},
  earlier: [],
});

/** Two tasks one after the other, and one that depends on nothing. */
function buildSmallPlan(agent?: string): ApprovedPlan {
  const nodes = [
    buildNode('p'),
    buildNode('p.-.a', agent === undefined ? {} : { agent }),
    buildNode('p.-.b'),
    buildNode('p.-.c'),
  ];
  return schedulePlan(buildPlan(nodes, { dependencies: [buildDependency('p.-.a FS p.-.b')] }));
}

const ids = (step: ReturnType<typeof decideRunStep>) => ('items' in step ? step.items.map(({ id }) => id) : []);
const find = (plan: ApprovedPlan, id: string): PlannedItem => listPlannedItems(plan).find((item) => item.id === id)!;

interface Happened {
  readonly what: 'begin' | 'end';
  readonly item: PlannedItem;
  readonly at: number;
}

/** Carries out a plan on a clock that jumps to the next moment; agents and people need a random time, so that much is late. */
function carryOut(plan: ApprovedPlan, random: SeededRandom): readonly Happened[] {
  const happened: Happened[] = [];
  const open: { readonly item: PlannedItem; readonly endsAt: number }[] = [];
  let run = fresh('confirm');
  let now = (listPlannedItems(plan)[0]?.start ?? 0) - 1_000;
  for (;;) {
    const step = decideRunStep(plan, run, now);
    if (step.kind === 'finished') return happened;
    if (step.kind === 'start') {
      run = startItems(run, step.items, now);
      for (const item of step.items) {
        happened.push({ what: 'begin', item, at: now });
        if (item.node.agent === undefined) open.push({ item, endsAt: now + 1 + Math.floor(random.next() * 3 * 1_440) });
      }
      continue;
    }
    if (step.kind === 'delegate') {
      for (const item of step.items) {
        run = endItem(run, item, { status: 'done', by: item.node.agent! }, now);
        happened.push({ what: 'end', item, at: now });
      }
      continue;
    }
    if (step.kind !== 'wait') throw new Error(`unexpected ${step.kind}`);
    const next = open.toSorted((one, other) => one.endsAt - other.endsAt)[0];
    if (step.until !== undefined && (!next || step.until <= next.endsAt)) {
      now = step.until;
      continue;
    }
    if (!next) throw new Error('the run waits for nothing');
    open.splice(open.indexOf(next), 1);
    now = Math.max(now, next.endsAt);
    run = endItem(run, next.item, { status: random.chance(0.9) ? 'done' : 'skipped', by: 'ada' }, now);
    happened.push({ what: 'end', item: next.item, at: now });
  }
}

describe('a plan that is carried out', () => {
  it('begins each task once, not before its time, and after what it depends on', () => {
    for (let seed = 0; seed < PLANS; seed += 1) {
      const random = new SeededRandom(seed);
      const plan = generatePlan(patterns, random);
      const items = listPlannedItems(plan);
      const happened = carryOut(plan, random);
      const times = (what: Happened['what']) =>
        new Map(happened.flatMap((one, index) => (one.what === what ? [[one.item.id, { ...one, index }]] : [])));
      const [begins, ends] = [times('begin'), times('end')];
      expect(
        happened.filter(({ what }) => what === 'begin'),
        `seed ${seed}`,
      ).toHaveLength(items.length);
      expect([...begins.keys()].toSorted()).toEqual(items.map(({ id }) => id).toSorted());
      for (const { id, start } of items)
        expect(begins.get(id)!.at, `${id} of seed ${seed}`).toBeGreaterThanOrEqual(start);
      const tree = new OutlineTree(plan.outline);
      const isIn = ({ node }: PlannedItem, id: string) =>
        [node, ...tree.listAncestors(node)].some((one) => one.id === id);
      for (const { from, to, kind } of plan.roadmap.dependencies)
        for (const later of items.filter((item) => kind[1] === 'S' && isIn(item, to)))
          for (const earlier of items.filter((item) => isIn(item, from))) {
            const planned = kind === 'FS' ? earlier.end : earlier.start;
            if (planned > later.start) continue;
            const before = (kind === 'FS' ? ends : begins).get(earlier.id)!.index;
            expect(begins.get(later.id)!.index, `${earlier.id} ${kind} ${later.id} of seed ${seed}`).toBeGreaterThan(
              before,
            );
          }
    }
  });

  it('waits for the first task, begins those that are due together, and goes to the next when one has ended', () => {
    const plan = buildSmallPlan();
    const [first] = listPlannedItems(plan);
    expect(decideRunStep(plan, fresh('confirm'), first!.start - 5)).toMatchObject({
      kind: 'wait',
      until: first!.start,
      running: [],
    });
    let run = fresh('confirm');
    const late = parseInstant('2027-02-01T00:00:00Z');
    expect(ids(decideRunStep(plan, run, late))).toEqual(['p.-.a', 'p.-.c']);
    run = startItems(run, [find(plan, 'p.-.a'), find(plan, 'p.-.c')], late);
    expect(decideRunStep(plan, run, late)).toMatchObject({
      kind: 'wait',
      running: [{ id: 'p.-.a' }, { id: 'p.-.c' }],
      next: { id: 'p.-.b' },
    });
    expect(decideRunStep(plan, run, late)).not.toHaveProperty('until');
    run = endItem(run, find(plan, 'p.-.a'), { status: 'skipped', by: 'ada' }, late);
    expect(decideRunStep(plan, run, late)).toMatchObject({ kind: 'start', items: [{ id: 'p.-.b' }] });
  });

  it('counts tasks of people as done at their planned end, if that was wanted', () => {
    const plan = buildSmallPlan();
    const a = find(plan, 'p.-.a');
    const run = startItems(fresh('as_planned'), [a], a.start);
    expect(decideRunStep(plan, run, a.end - 1)).not.toMatchObject({ kind: 'end' });
    expect(decideRunStep(plan, run, a.end)).toMatchObject({ kind: 'end', items: [{ id: 'p.-.a' }] });
  });

  it('delegates what has begun and names an agent, and waits for a person when the agent has failed', () => {
    const plan = buildSmallPlan('writer');
    const a = find(plan, 'p.-.a');
    let run = startItems(fresh('confirm'), [a], a.start);
    expect(decideRunStep(plan, run, a.start)).toMatchObject({ kind: 'delegate', items: [{ id: 'p.-.a' }] });
    run = endItem(run, a, { status: 'failed', by: 'writer', note: 'No paper.' }, a.end);
    const later = parseInstant('2027-02-01T00:00:00Z');
    const others = decideRunStep(plan, run, later);
    expect(ids(others)).toEqual(['p.-.c']);
    run = startItems(run, [find(plan, 'p.-.c')], later);
    expect(decideRunStep(plan, run, later)).toMatchObject({ kind: 'wait', failed: [{ id: 'p.-.a' }] });
    expect(ids(decideRunStep(plan, retryItem(run, a), later))).toEqual(['p.-.a']);
  });

  it('begins from the start with another schedule, and keeps what was done for the one before', () => {
    const plan = buildSmallPlan();
    const run = startItems({ ...fresh('confirm'), replan: 'It rains.' }, [find(plan, 'p.-.a')], 0);
    const other = replaceSchedule(run, 'b'.repeat(64), 'It rains.');
    expect(other).toEqual({
      ...fresh('confirm'),
      contentHash: 'b'.repeat(64),
      earlier: [{ contentHash: 'a'.repeat(64), why: 'It rains.', items: run.items }],
    });
  });
});
