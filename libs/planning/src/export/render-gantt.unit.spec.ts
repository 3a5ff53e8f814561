import { describe, expect, it } from 'vitest';
import type { PlanContext } from '../artifacts/plan-context.js';
import type { OutlineNode } from '../artifacts/plan-outline.js';
import type { ScheduledTask } from '../artifacts/schedule.js';
import { buildDependency, buildNode, buildPlan } from '../stage/stage.fixture.js';
import { schedulePlan } from './export.fixture.js';
import { type GanttPlan, renderGantt } from './render-gantt.js';

const recurring = { time: 'recurring' } as const;
const nodes = [
  ...[buildNode('p', { title: 'Prepare' }), buildNode('p.m', { title: 'Ready' })],
  ...[
    buildNode('p.m.a', { title: 'Read <b> & "write"' }),
    buildNode('p.m.b'),
    buildNode('p.m.c', { estimateMinutes: 600 }),
  ],
  ...[buildNode('q', { title: 'Finish' }), buildNode('q.-.d')],
  ...[buildNode('c', { ...recurring, recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=3' }), buildNode('c.-.e', recurring)],
];
const dependencies = ['p.m.a FS p.m.b', 'p.m FS q.-.d', 'p.m.a SS p.m.c', 'p.m.b FF p.m.c', 'p.m.a SF p.m.b'].map(
  (text) => buildDependency(text),
);
const draw = (more: Partial<PlanContext> = {}, listed: readonly OutlineNode[] = nodes) => {
  const options = { dependencies, overlapping: ['c'], due: { 'p.m': '2027-01-15' } };
  const plan = buildPlan(listed, options);
  return schedulePlan({ ...plan, context: { ...plan.context, ...more } });
};
const plan = draw();
const svg = renderGantt(plan);

/** Content of the group of the row with a label. */
function findRow(text: string, label: string): string {
  const row = [...text.matchAll(/<g class="(?:phase|task|milestone)[^>]*>.*?<\/g>/g)].find(([group]) =>
    group.includes(`>${label}</text>`),
  );
  expect(row, label).toBeDefined();
  return row![0];
}

/** Position and width of the bar of a row. */
function measureBar(text: string, label: string) {
  const [, x, width] = /class="bar" x="([\d.]+)"[^>]* width="([\d.]+)"/.exec(findRow(text, label))!;
  return { x: Number(x), width: Number(width) };
}

/** Elements that are opened and closed in the right order. */
function isWellFormed(text: string): boolean {
  const open: string[] = [];
  const tags = /<(\/?)([a-zA-Z]+)((?:\s+[a-zA-Z-:]+="[^"<&]*")*)\s*(\/?)>/y;
  const content = /(?:[^<&]|&(?:amp|lt|gt|quot);)+/y;
  for (let at = 0; at < text.length; at = tags.lastIndex || content.lastIndex) {
    tags.lastIndex = content.lastIndex = at;
    const match = tags.exec(text);
    if (!match && !content.test(text)) return false;
    const [, end, name, , isEmpty] = match ?? [];
    if (end && open.pop() !== name) return false;
    if (match && !end && !isEmpty) open.push(name!);
  }
  return open.length === 0;
}

describe('renderGantt', () => {
  it('draws a row per phase, task and milestone, in the order of the roadmap', () => {
    const labels = [...svg.matchAll(/<text class="label"[^>]*>(.*?)<\/text>/g)].map(([, text]) => text);
    expect(labels).toEqual([
      ...['Prepare', 'Read &lt;b&gt; &amp; &quot;write&quot;', 'Title of p.m.b', 'Title of p.m.c', 'Ready', 'Finish'],
      ...['Title of q.-.d', 'Title of c', 'Title of c.-.e'],
    ]);
    expect(findRow(svg, 'Ready')).toMatch(/class="due".*class="diamond"/);
    expect(findRow(svg, 'Prepare')).toContain('class="span"');
  });

  it('places bars by time', () => {
    const { tasks } = plan.schedule;
    const times = new Map(tasks.map(({ task, start, end }) => [task, [Date.parse(start), Date.parse(end)] as const]));
    const [a, c] = [measureBar(svg, 'Read &lt;b&gt; &amp; &quot;write&quot;'), measureBar(svg, 'Title of p.m.c')];
    const [first, third] = [times.get('p.m.a')!, times.get('p.m.c')!];
    const day = 24 * 60 * 60_000;
    const pixelsPerDay = ((c.x - a.x) / (third[0] - first[0])) * day;
    // From Monday, 4 January to Tuesday, 19 January, the last occurrence.
    expect(pixelsPerDay).toBeCloseTo(960 / 16, 0);
    expect(c.width).toBeCloseTo(((third[1] - third[0]) / day) * pixelsPerDay, 0);
  });

  it('draws an arrow with right angles per dependency, and ticks for occurrences', () => {
    const arrows = [...svg.matchAll(/<path class="arrow[^>]* d="([^"]*)"\/>/g)].map(([, d]) => d!);
    expect(arrows.slice(0, -1)).toHaveLength(dependencies.length);
    for (const path of arrows) expect(path).toMatch(/^M[\d.]+ [\d.]+(?:[HVh][\d.-]+)+$/);
    expect(
      findRow(svg, 'Title of c.-.e')
        .match(/class="tick" d="([^"]*)"/)![1]!
        .match(/v12/g),
    ).toHaveLength(3);
    const daily = [buildNode('c', { ...recurring, recurrence: 'FREQ=DAILY;COUNT=400' }), buildNode('c.-.e', recurring)];
    const dates = { start: '2027-01-04', end: '2028-12-31', fixed: [] };
    const base = buildPlan(daily, { context: { dates } });
    expect(findRow(renderGantt(schedulePlan(base)), 'Title of c.-.e')).toContain('class="band"');
  });

  it('marks what is critical by a class that has another colour and another pattern', () => {
    const isCritical = (label: string) => /^<g class="task critical">/.test(findRow(svg, label));
    const critical = plan.schedule.tasks.filter((task) => task.critical).map(({ task }) => task);
    expect(critical.length).toBeGreaterThan(0);
    for (const { task } of plan.schedule.tasks.filter(({ task: id }) => id !== 'p.m.a'))
      expect([task, isCritical(`Title of ${task}`)]).toEqual([task, critical.includes(task)]);
    expect(svg).toContain('.gantt .critical .bar{fill:url(#gantt-hatch)');
    expect(svg).toMatch(/<pattern id="gantt-hatch"/);
  });

  it('shades closed days, and months of more than a year', () => {
    const countShades = (text: string) => text.split('<g class="axis">')[0]!.match(/class="shade"/g)?.length ?? 0;
    // Two weekends.
    expect(countShades(svg)).toBe(2);
    expect(svg).toContain('>Closed day</text>');
    const late = plan.schedule.tasks.map((task): ScheduledTask =>
      task.task === 'q.-.d' ? { ...task, start: '2029-01-08T08:00:00Z', end: '2029-01-08T09:00:00Z' } : task,
    );
    const long = renderGantt({ ...plan, schedule: { ...plan.schedule, tasks: late } });
    expect(countShades(long)).toBe(12);
    expect(long).toContain('>Every second month</text>');
    expect([...long.matchAll(/>(20\d\d)<\/text>/g)].map(([, year]) => year)).toEqual(['2027', '2028']);
  });

  it('has dates of the zone on the axis', () => {
    const axis = /<g class="axis">.*?<\/g>/.exec(svg)![0];
    expect([...axis.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text)).toEqual([
      'Jan 2027',
      '4 Jan',
      '11 Jan',
      '18 Jan',
    ]);
    const west = renderGantt({ ...plan, context: { ...plan.context, zone: 'Pacific/Auckland' } });
    expect(west).toContain('Times in Pacific/Auckland');
  });

  it('is one well-formed file without scripts and without references to others', () => {
    expect(isWellFormed(svg)).toBe(true);
    expect(isWellFormed(`${svg}<b>`)).toBe(false);
    expect(svg).toMatch(/role="img" aria-labelledby="gantt-title gantt-description"/);
    expect(svg).toContain('<title id="gantt-title">Schedule: Learn to sail</title>');
    expect(svg).toMatch(/<desc id="gantt-description">5 tasks from 2027-01-04 to 2027-01-19 in Europe\/Berlin\./);
    expect(svg).not.toMatch(/<script|\son\w+=|href|https?:(?!\/\/www\.w3\.org\/2000\/svg)|@import|<foreignObject/i);
    expect([...svg.matchAll(/url\(([^)]*)/g)].filter(([, url]) => !url!.startsWith('#'))).toEqual([]);
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  it('escapes every text', () => {
    const evil = ']]></style><script>alert(1)</script>"\'&\u0001\u202E';
    const titled = nodes.map((node) => ({ ...node, title: evil }));
    const text = renderGantt(draw({ goal: `${evil}\uD800` }, titled));
    expect(isWellFormed(text)).toBe(true);
    expect(text).not.toMatch(/<script|\u0001/);
    expect(text).toContain('\uFFFD');
  });

  it('draws a task of which every occurrence is left out where its entry is', () => {
    const closed = { ...plan.context.calendar, holidays: ['05', '12', '19'].map((day) => ({ day: `2027-01-${day}` })) };
    const text = renderGantt({ ...plan, context: { ...plan.context, calendar: closed } });
    expect(findRow(text, 'Title of c.-.e')).toMatch(/: 2027-01-05 09:00 to 2027-01-05 10:00, 0 times/);
    expect(text).toContain('from 2027-01-04 to 2027-01-15');
  });

  it('draws a plan without tasks', () => {
    const empty = renderGantt({ ...plan, schedule: { ...plan.schedule, tasks: [] } });
    expect(isWellFormed(empty)).toBe(true);
    expect(empty).toContain('0 tasks from 2027-01-04 to 2027-01-04');
  });

  it('has less than a megabyte for 500 tasks with the longest titles and as many dependencies', () => {
    const title = '&<>"'.repeat(50);
    const listed = [
      ...Array.from({ length: 10 }, (_, phase) => [
        buildNode(`p${phase}`, { title }),
        ...Array.from({ length: 25 }, (__, index) => buildNode(`p${phase}.-.t${index}`, { title })),
      ]).flat(),
      ...Array.from({ length: 10 }, (_, cycle) => [
        buildNode(`c${cycle}`, { title, ...recurring, recurrence: 'FREQ=WEEKLY;COUNT=120' }),
        ...Array.from({ length: 25 }, (__, index) => buildNode(`c${cycle}.-.t${index}`, { title, ...recurring })),
      ]).flat(),
    ];
    const tasks = listed.filter(({ level }) => level === 'L3').map(({ id }) => id);
    const links = tasks
      .slice(1)
      .flatMap((id, index) => [buildDependency(`${tasks[index]!} FS ${id}`), buildDependency(`${tasks[0]!} SS ${id}`)]);
    const base = buildPlan(listed, { dependencies: links });
    const entries = tasks.map((task, index): ScheduledTask => {
      const start = Date.parse('2027-01-04T08:00:00Z') + (index % 5) * 24 * 60 * 60_000;
      return {
        ...{ task, start: new Date(start).toISOString(), end: new Date(start + 3_600_000).toISOString() },
        ...{ zone: 'Europe/Berlin', floatMinutes: 0, critical: index % 2 === 0 },
        ...(task.startsWith('c') && { recurrence: 'FREQ=WEEKLY;COUNT=120' }),
      };
    });
    const large: GanttPlan = { ...base, schedule: { roadmapHash: 'ab'.repeat(16), tasks: entries } };
    const text = renderGantt(large);
    expect(isWellFormed(text)).toBe(true);
    expect([...text.matchAll(/class="label"/g)]).toHaveLength(520);
    expect([...text.matchAll(/class="tick"/g)].length).toBeGreaterThan(200);
    expect(text.length).toBeLessThan(1_000_000);
  });
});
