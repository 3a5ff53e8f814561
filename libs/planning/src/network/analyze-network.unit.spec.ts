import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../calendar/instant.js';
import { WorkingCalendar } from '../calendar/working-calendar.js';
import { analyzeNetwork, type NetworkAnalysis } from './analyze-network.js';
import { computeLatest } from './backward-pass.js';
import { findCycle } from './find-cycle.js';
import { computeBound, computeEarliest, moveToOpen } from './forward-pass.js';
import { leavesStart, type Link, type Network, type NetworkTask, reachesStart } from './network.js';
import { generateNetwork } from './network.fixture.js';

const evening = [{ from: '18:00', to: '20:00' }];
/** Two hours each evening, Monday to Friday; 2026-06-01 is a Monday. */
const calendar = new WorkingCalendar({
  zone: 'UTC',
  hours: [evening, evening, evening, evening, evening, [], []],
  closedDays: [],
  openDays: [],
});
const start = parseInstant('2026-06-01T00:00:00Z');
const link = (from: string, to: string, more: Partial<Link> = {}): Link => ({
  from,
  to,
  kind: 'FS',
  lag: 0,
  unit: 'working',
  ...more,
});
const task = (id: string, minutes: number, dates: Partial<NetworkTask> = {}): NetworkTask => ({
  id,
  minutes,
  ...dates,
});
const analyze = (tasks: readonly NetworkTask[], links: readonly Link[]) =>
  analyzeNetwork({ calendar, start, tasks, links });
const assertAnalyzed = (analysis: NetworkAnalysis) => {
  if (analysis.kind !== 'analyzed') throw new Error(`The network is ${analysis.kind}.`);
  return analysis;
};
const times = (analysis: NetworkAnalysis) =>
  assertAnalyzed(analysis).tasks.map((found) => [
    formatInstant(found.earliestStart).slice(5, 16),
    formatInstant(found.earliestEnd).slice(5, 16),
    found.floatMinutes,
  ]);

/** Walks every path of the network, one link after another, and returns the latest end that any of them forces. */
function measureLongestPath(network: Network): number {
  const tasks = new Map(network.tasks.map((found) => [found.id, found]));
  const walk = (id: string, end: 'start' | 'end', at: number): number => {
    const { minutes } = tasks.get(id)!;
    const from = minutes === 0 ? moveToOpen(network, at, 0) : at;
    let longest = end === 'end' || minutes === 0 ? from : -Infinity;
    for (const next of network.links) {
      if (next.from !== id || (minutes > 0 && leavesStart(next) !== (end === 'start'))) continue;
      const bound = computeBound(network, next, { start: from, end: from }, tasks.get(next.to)!.minutes);
      longest = Math.max(longest, walk(next.to, reachesStart(next) ? 'start' : 'end', bound));
    }
    if (end === 'start' && minutes > 0)
      longest = Math.max(longest, walk(id, 'end', network.calendar.addWorkingMinutes(from, minutes)));
    return longest;
  };
  const starts = network.tasks.map(({ id, minutes, earliestStart }) =>
    walk(id, 'start', moveToOpen(network, Math.max(network.start, earliestStart ?? 0), minutes)),
  );
  return Math.max(...starts);
}

describe('analyzeNetwork', () => {
  it('computes times and float of the four kinds of links', () => {
    const links = [
      link('a', 'fs', { lag: 30 }),
      link('a', 'ss', { kind: 'SS', lag: 30 }),
      link('a', 'ff', { kind: 'FF', lag: 60 }),
      link('a', 'sf', { kind: 'SF', lag: 240 }),
    ];
    const tasks = [task('a', 90), task('fs', 60), task('ss', 60), task('ff', 30), task('sf', 30)];
    expect(times(analyze(tasks, links))).toEqual([
      ['06-01T18:00', '06-01T19:30', 0],
      ['06-02T18:00', '06-02T19:00', 60],
      ['06-01T18:30', '06-01T19:30', 150],
      ['06-01T18:00', '06-02T18:30', 90],
      ['06-01T18:00', '06-02T20:00', 0],
    ]);
  });

  it('moves a lag that ends in closed time to the next open time', () => {
    const links = [link('a', 'b', { lag: 60 * 24, unit: 'elapsed' }), link('a', 'c', { lag: -60 })];
    const found = analyze([task('a', 9 * 60), task('b', 60), task('c', 60)], links);
    expect(times(found).map(([from]) => from)).toEqual(['06-01T18:00', '06-08T18:00', '06-05T18:00']);
    // The end of a may be an hour later without moving b, though both are on the longest path.
    expect(assertAnalyzed(found).tasks.map(({ isCritical, floatMinutes }) => [isCritical, floatMinutes])).toEqual([
      [true, 60],
      [true, 0],
      [false, 120],
    ]);
  });

  it('names a cycle', () => {
    const links = [link('x', 'a'), link('a', 'b'), link('b', 'c', { lag: -600 }), link('c', 'a'), link('c', 'd')];
    const found = analyze(
      ['x', 'd', 'a', 'b', 'c'].map((id) => task(id, 30)),
      links,
    );
    expect(found).toEqual({ kind: 'cyclic', cycle: expect.arrayContaining(['a', 'b', 'c']) as string[] });
    expect(findCycle(['a', 'b', 'c'], links.slice(1, 4))!.join()).toMatch(/^(a,b,c|b,c,a|c,a,b)$/);
    expect(findCycle(['a'], [link('a', 'a')])).toEqual(['a']);
  });

  it('names the chain that a date cannot meet', () => {
    const fixedStart = parseInstant('2026-06-02T18:00:00Z');
    const tasks = [
      task('a', 120),
      task('b', 60),
      task('fixed', 60, { fixedStart }),
      task('late', 30, { latestEnd: fixedStart }),
    ];
    const found = assertAnalyzed(analyze(tasks, [link('a', 'b'), link('b', 'fixed'), link('fixed', 'late')]));
    expect(found.contradictions).toEqual([
      { task: 'fixed', date: 'fixedStart', allowed: fixedStart, forced: fixedStart + 60, chain: ['a', 'b', 'fixed'] },
      { task: 'late', date: 'latestEnd', allowed: fixedStart, forced: fixedStart + 90, chain: ['fixed', 'late'] },
    ]);
  });

  it('finds redundant links, of equal ones the later', () => {
    const links = [
      link('a', 'b'),
      link('b', 'c'),
      link('a', 'c', { lag: 60 }),
      link('a', 'c', { lag: 61 }),
      link('a', 'b'),
    ];
    const found = assertAnalyzed(analyze([task('a', 30), task('b', 60), task('c', 30)], links));
    expect(found.redundantLinks.map((redundant) => links.indexOf(redundant))).toEqual([2, 4]);
    const elapsed = [link('a', 'b', { lag: 60 }), link('a', 'b', { lag: 60, unit: 'elapsed' })];
    expect(assertAnalyzed(analyze([task('a', 30), task('b', 60)], elapsed)).redundantLinks).toEqual([elapsed[1]]);
  });

  it('refuses ids that are used twice or missing', () => {
    expect(() => analyze([task('a', 30), task('a', 30)], [])).toThrow('same id');
    expect(() => analyze([task('a', 30)], [link('a', 'b')])).toThrow('"b"');
    expect(assertAnalyzed(analyze([], []))).toMatchObject({ end: start, tasks: [] });
  });
});

describe('passes over generated networks', () => {
  const random = new SeededRandom(404);
  const networks = Array.from({ length: 150 }, () => generateNetwork(random, random.between(2, 9)));

  it('finds the longest path', () => {
    for (const network of networks) {
      const analysis = assertAnalyzed(analyzeNetwork(network));
      expect(analysis.end).toBe(measureLongestPath(network));
      // The path alone, without all other tasks and links, takes as long.
      const { tasks, links } = analysis.criticalPath;
      const path = network.tasks.filter(({ id }) => tasks.includes(id));
      const alone = measureLongestPath({ ...network, tasks: path, links });
      expect(alone).toBe(analysis.end);
      expect(links).toHaveLength(tasks.length - 1);
    }
  });

  it('breaks no link at the earliest and at the latest times', () => {
    for (const network of networks) {
      const earliest = computeEarliest(network);
      const end = Math.max(...[...earliest.values()].map((times) => times.end));
      const latest = computeLatest(network, end);
      const isKept = (all: typeof latest, broken: Link) => {
        const successor = network.tasks.find(({ id }) => id === broken.to)!;
        const to = all.get(broken.to)!;
        return (
          computeBound(network, broken, all.get(broken.from)!, successor.minutes) <=
          (reachesStart(broken) ? to.start : to.end)
        );
      };
      expect(network.links.filter((found) => !isKept(earliest, found))).toEqual([]);
      expect(network.links.filter((found) => !isKept(latest, found))).toEqual([]);
      for (const { id } of network.tasks) {
        const [early, late] = [earliest.get(id)!, latest.get(id)!];
        expect(network.calendar.workingMinutesBetween(early.start, late.start)).toBeGreaterThanOrEqual(0);
        expect(network.calendar.workingMinutesBetween(early.end, late.end)).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it('has the same times without the redundant links', () => {
    let count = 0;
    for (const network of networks) {
      const { redundantLinks } = assertAnalyzed(analyzeNetwork(network));
      count += redundantLinks.length;
      const links = network.links.filter((found) => !redundantLinks.includes(found));
      const select = (found: Network) =>
        [...computeEarliest(found)].map(([id, times]) => [id, times.start, times.end]).sort();
      expect(select({ ...network, links })).toEqual(select(network));
    }
    expect(count).toBeGreaterThan(20);
  });
});
