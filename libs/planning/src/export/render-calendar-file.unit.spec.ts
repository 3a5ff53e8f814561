import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { formatInstant } from '../calendar/instant.js';
import { SeededRandom } from '@phaseline/testing';
import { generatePlan } from '../grammar/valid-plan.fixture.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { buildNode, buildPlan } from '../stage/stage.fixture.js';
import { schedulePlan } from './export.fixture.js';
import { listPlannedTasks } from './list-planned-tasks.js';
import { renderCalendarFile, type CalendarFilePlan } from './render-calendar-file.js';

const stamp = new Date('2027-01-01T12:00:00Z');
const weekly = { time: 'recurring', recurrence: 'FREQ=WEEKLY;BYDAY=TU;COUNT=14' } as const;
const nodes = [
  buildNode('p', { title: 'First; second, third' }),
  buildNode('p.-.a', {
    title: 'Read \\ "write"; sum, up:\r\nBEGIN:VALARM',
    estimateMinutes: 600,
    endCriterion: 'It is\ndone.',
  }),
  buildNode('c', weekly),
  buildNode('c.-.b', { time: 'recurring', exceptDays: ['2027-01-19'] }),
];
const base = buildPlan(nodes, { overlapping: ['c'] });
const context = {
  ...base.context,
  goal: 'Learn to sail, soon;\nEND:VCALENDAR',
  calendar: { ...base.context.calendar, holidays: [{ day: '2027-03-30' }] },
};
const plan = { ...schedulePlan({ ...base, context }), planId: 'plan-1', stamp };

/** Reads a file with another library; times become UTC by its VTIMEZONE alone. */
function parse(text: string) {
  const root = new ICAL.Component(ICAL.parse(text) as ConstructorParameters<typeof ICAL.Component>[0]);
  const zones = new Map(
    root
      .getAllSubcomponents('vtimezone')
      .map((zone) => [String(zone.getFirstPropertyValue('tzid')), new ICAL.Timezone(zone)]),
  );
  const toUtc = (time: ICAL.Time, zone: string) => {
    const copy = time.clone();
    copy.zone = zones.get(zone) ?? ICAL.Timezone.utcTimezone;
    return copy.convertToZone(ICAL.Timezone.utcTimezone).toJSDate().toISOString();
  };
  return root.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    const zone = String(component.getFirstProperty('dtstart')!.getParameter('tzid'));
    const starts: string[] = [];
    const iterator = event.iterator();
    for (let next = iterator.next() as ICAL.Time | undefined; next; next = iterator.next() as ICAL.Time | undefined)
      starts.push(toUtc(next, zone));
    return { event, component, zone, starts, start: toUtc(event.startDate, zone), end: toUtc(event.endDate, zone) };
  });
}

const listStarts = (exported: CalendarFilePlan) =>
  listPlannedTasks(exported).map(({ occurrences }) => occurrences.map(({ start }) => formatInstant(start)));

describe('renderCalendarFile', () => {
  const text = renderCalendarFile(plan);
  const events = parse(text);

  it('writes an event per task, which another library reads', () => {
    expect(events.map(({ event }) => event.uid).sort()).toEqual(['plan-1/c.-.b@phaseline', 'plan-1/p.-.a@phaseline']);
    const task = events.find(({ event }) => event.uid.includes('p.-.a'))!;
    expect(task.event.summary).toBe('Read \\ "write"; sum, up: BEGIN:VALARM');
    expect(task.event.description).toBe('10 hours of work within this time.\nDone when: It is\ndone.');
    expect(task.component.getFirstPropertyValue('categories')).toBe('First; second, third');
    expect(task.component.getFirstPropertyValue('transp')).toBe('TRANSPARENT');
    const { start, end } = plan.schedule.tasks.find(({ task: id }) => id === 'p.-.a')!;
    expect([task.start, task.end]).toEqual([start, end]);
    expect(String(task.component.getFirstPropertyValue('dtstamp'))).toBe('2027-01-01T12:00:00Z');
  });

  it('keeps the time on the wall over the change of the clock, and leaves out closed days', () => {
    const course = events.find(({ event }) => event.uid.includes('c.-.b'))!;
    expect(course.starts).toHaveLength(12);
    // The clock changes on 28 March; 30 March is closed.
    expect(course.starts.slice(-3)).toEqual([
      '2027-03-16T08:00:00.000Z',
      '2027-03-23T08:00:00.000Z',
      '2027-04-06T07:00:00.000Z',
    ]);
    expect(course.starts).not.toContain('2027-01-19T08:00:00.000Z');
  });

  it('has lines of at most 75 bytes, each ended by CR and LF, and no line from a text', () => {
    expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
    const lines = text.slice(0, -2).split('\r\n');
    expect(lines.filter((line) => new TextEncoder().encode(line).length > 75 || /[\r\n]/.test(line))).toEqual([]);
    expect(lines.filter((line) => line === 'END:VCALENDAR')).toHaveLength(1);
    expect(lines).not.toContain('BEGIN:VALARM');
    expect(text).toContain(String.raw`X-WR-CALNAME:Learn to sail\, soon\; END:VCALENDAR`);
  });

  it('is the same for the same plan, and refuses an id that would be another line', () => {
    expect(renderCalendarFile(structuredClone(plan))).toBe(text);
    expect(() => renderCalendarFile({ ...plan, planId: 'a\nb' })).toThrow(/no id of a plan/);
    const [first, ...rest] = plan.schedule.tasks;
    const broken = {
      roadmapHash: plan.schedule.roadmapHash,
      tasks: [{ ...first!, recurrence: 'FREQ=DAILY;COUNT=2\r\nX:1' }, ...rest],
    };
    expect(() => renderCalendarFile({ ...plan, schedule: broken })).toThrow(/COUNT cannot be/);
    expect(parse(renderCalendarFile({ ...plan, schedule: { ...plan.schedule, tasks: [] } }))).toEqual([]);
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC', 'Africa/Casablanca'])(
    'has the occurrences of the engine in %s, by its own VTIMEZONE',
    (zone) => {
      const patterns = readShippedPatterns();
      const random = new SeededRandom(3);
      let recurring = 0;
      for (let round = 0; round < 12; round++) {
        const made = generatePlan(patterns, random);
        const tasks = made.schedule.tasks.map((task) => ({ ...task, zone }));
        const hours = [1, 2, 3, 4, 5, 6, 0].map((index) => ({
          weekday: (['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const)[index]!,
          from: '00:00',
          to: '24:00',
        }));
        const exported = {
          ...made,
          context: { ...made.context, zone, calendar: { hours, holidays: [{ day: '2027-01-08' }] } },
          schedule: { ...made.schedule, tasks },
          ...{ planId: `plan-${round}`, stamp },
        };
        const read = parse(renderCalendarFile(exported));
        recurring += read.filter(({ event }) => event.isRecurring()).length;
        expect(read.map(({ starts }) => starts)).toEqual(listStarts(exported));
      }
      expect(recurring).toBeGreaterThan(5);
    },
  );
});
