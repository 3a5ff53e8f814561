import type { Timeline, TimelinePhase, TimelineSpan } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { drawLane, findColumn } from './draw-lane.js';
import { barColumns, renderTimeline } from './render-timeline.js';

const at = (second: number): string => new Date(Date.parse('2026-01-01T10:00:00.000Z') + second * 1_000).toISOString();
const span = (kind: TimelineSpan['kind'], start: number, end?: number, more: Partial<TimelineSpan> = {}) => ({
  ...{ kind, start: at(start), count: 1, fromPosition: 1, toPosition: 2 },
  ...(end === undefined ? {} : { end: at(end) }),
  ...more,
});
const phase = (spans: readonly TimelineSpan[], more: Partial<TimelinePhase> = {}): TimelinePhase => ({
  ...{ phase: 1, attempt: 1, kind: 'strategic', state: 'plan', name: 'Plan', start: at(0), end: at(10) },
  ...{ outcome: 'planned', fromPosition: 1, toPosition: 9, spans: [...spans] },
  ...more,
});
const timeline = (phases: readonly TimelinePhase[], marks: Timeline['marks'] = []): Timeline => ({
  ...{ from: at(0), to: at(20), columnMs: 1_000, eventCount: 9, isTruncated: false },
  ...{ phases: [...phases], marks },
});
const render = (data: Timeline, columns = 20): readonly string[] => renderTimeline(data, columns, createPaint(false));

describe('a lane', () => {
  const window = { from: at(0), to: at(20) };
  const draw = (one: TimelinePhase, columns = 20): string =>
    drawLane(one, window, columns)
      .map((cell) => ({ none: ' ', open: '-', model: 'M', tool: 'T', wait: 'w' })[cell])
      .join('');

  it('shows spans from their beginning to their end, and the model above all else', () => {
    expect(draw(phase([span('model', 1, 4), span('tool', 4, 6), span('wait', 6, 8)]))).toBe(
      `-MMMTTww--${' '.repeat(10)}`,
    );
    expect(draw(phase([span('wait', 0, 9), span('model', 2, 3), span('tool', 2, 4)]))).toBe(
      `wwMTwwwww-${' '.repeat(10)}`,
    );
  });

  it('shows what is shorter than a column, and what has not ended until the end of the window', () => {
    expect(draw(phase([span('tool', 5.1, 5.2)]), 4)).toBe('-T  ');
    const { end: _end, outcome: _outcome, ...open } = phase([span('wait', 15)]);
    expect(draw(open)).toBe(`${'-'.repeat(15)}wwwww`);
    expect([findColumn(at(-5), window, 20), findColumn(at(20), window, 20)]).toEqual([0, 19]);
  });
});

describe('a timeline', () => {
  it('has a line per phase with its duration and outcome', () => {
    const lines = render(timeline([phase([span('model', 0, 5)])]));
    expect(lines[0]).toBe('2026-01-01 10:00:00 to 2026-01-01 10:00:20, 0:20; one column is 1.0 s');
    expect(lines[2]).toBe(`${'  1 Plan'.padEnd(28)} █████─────${' '.repeat(10)} 0:10 planned`);
    expect(lines.at(-1)).toBe('█ model   ▒ tool   · waits   ─ other');
  });

  it('says what an open phase waits for, and shows no control characters', () => {
    const { end: _end, outcome: _outcome, ...open } = phase([span('wait', 2, undefined, { waitsFor: 'approval' })]);
    expect(render(timeline([{ ...open, attempt: 2, name: 'a\u001b[2J' }]))[2]).toMatch(
      /^ {2}1 a·\[2J \(attempt 2\) +──·{18} 0:20 waits: approval$/,
    );
    expect(render(timeline([{ ...open, spans: [span('model', 2)] }]))[2]).toMatch(/running$/);
  });

  it('has a sign for what is unusual, with the number of each', () => {
    const lines = render(
      timeline(
        [phase([])],
        [
          { kind: 'retry', at: at(3), count: 2, position: 4 },
          { kind: 'steering', at: at(19), count: 1, position: 5 },
        ],
      ),
    );
    expect(lines[3]).toBe(`${' '.repeat(28)}    ↻${' '.repeat(15)}✎`);
    expect(lines.at(-1)).toMatch(/↻ retry \(2\) {3}✎ message of a person$/);
  });

  it('is at least wide enough to be read', () => {
    expect([barColumns(120), barColumns(40)]).toEqual([64, 20]);
  });
});
