import { describe, expect, it } from 'vitest';
import type { EventColumns } from './event-columns.js';
import { createWindow, mergeSegments } from './merge-segments.js';
import { buildLanes } from './phase-lanes.js';
import { collectMarks } from './timeline-marks.js';

type Step = readonly [phase: number, type: string, time: number];

/** Numbers events from position 1. */
function toColumns(steps: Iterable<Step>): EventColumns {
  const columns: EventColumns = { positions: [], times: [], types: [], phases: [] };
  for (const [phase, type, time] of steps) {
    columns.positions.push(columns.positions.length + 1);
    columns.times.push(time);
    columns.types.push(type);
    columns.phases.push(phase);
  }
  return columns;
}

/** Describes what a phase did as `kind start-end positions`. */
function describeLane(steps: readonly Step[], phase = 1): string[] {
  const lane = buildLanes(toColumns(steps)).find((one) => one.phase === phase);
  return lane!.segments.map(
    ({ kind, waitsFor, start, end, fromPosition, toPosition }) =>
      `${waitsFor ?? kind} ${start}-${end ?? ''} ${fromPosition}..${toPosition}`,
  );
}

describe('what a phase did', () => {
  it('is told from the types of its events: calls of the model, tools and waits', () => {
    expect(
      describeLane([
        [0, 'JobSubmitted', 0],
        [0, 'PhaseDispatched', 10],
        [1, 'PhaseStarted', 10],
        [1, 'ModelCallStarted', 11],
        [1, 'ModelResponded', 20],
        [1, 'ToolCallRequested', 20],
        [1, 'ToolCallRequested', 20],
        [1, 'ToolCallCompleted', 25],
        [1, 'ToolCallFailed', 30],
        [1, 'ModelCallStarted', 30],
        [1, 'ModelAwaited', 31],
        [1, 'ModelResponded', 50],
        [1, 'ApprovalRequested', 50],
        [1, 'ApprovalGranted', 60],
        [1, 'ToolCallCompleted', 65],
        [1, 'ToolCallRequested', 65],
        [1, 'QuestionAsked', 65],
        [1, 'PhasePaused', 70],
        [1, 'PhaseResumed', 80],
        [1, 'QuestionAnswered', 90],
        [1, 'ToolCallCompleted', 91],
        [1, 'ModelCallStarted', 92],
        [1, 'ModelCallFailed', 95],
        [1, 'ModelCallStarted', 95],
        [1, 'ModelResponded', 99],
        [1, 'PhaseCompleted', 99],
      ]),
    ).toEqual([
      'slot 0-10 1..3',
      'model 11-20 4..5',
      'tool 20-30 6..9',
      'model 30-31 10..11',
      'model-server 31-50 11..12',
      'approval 50-60 13..14',
      'tool 60-65 14..15',
      'question 65-70 17..18',
      'pause 70-80 18..19',
      'question 80-90 19..20',
      'tool 90-91 20..21',
      'model 92-95 22..23',
      'model 95-99 24..25',
    ]);
  });

  it('ends with its phase, and lasts while the phase runs', () => {
    const begun: Step[] = [
      [1, 'PhaseStarted', 0],
      [1, 'ModelCallStarted', 1],
    ];
    expect(describeLane(begun)).toEqual(['model 1- 2..2']);
    const ended: Step[] = [...begun, [1, 'PhaseCancelled', 5], [1, 'FilesRemoved', 900]];
    expect(describeLane(ended)).toEqual(['model 1-5 2..3']);
    expect(buildLanes(toColumns(ended))[0]).toMatchObject({ start: 0, end: 5, fromPosition: 1, toPosition: 3 });
  });

  it('includes the wait for a slot between phases', () => {
    const steps: Step[] = [
      [1, 'PhaseStarted', 0],
      [1, 'PhaseCompleted', 5],
      [0, 'PhaseEnded', 6],
      [2, 'PhaseStarted', 40],
    ];
    expect(describeLane(steps, 2)).toEqual(['slot 6-40 3..4']);
  });
});

describe('merging', () => {
  const steps: Step[] = [[1, 'PhaseStarted', 0]];
  for (let step = 0; step < 10; step += 1)
    steps.push([1, 'ModelCallStarted', step * 10], [1, 'ModelResponded', step * 10 + 4]);
  const [lane] = buildLanes(toColumns(steps));

  it('joins segments that are shorter than a column, and counts them', () => {
    const whole = mergeSegments(lane!.segments, createWindow(0, 100, 2));
    expect(whole).toEqual([
      { kind: 'model', start: 0, end: 44, count: 5, fromPosition: 2, toPosition: 11 },
      { kind: 'model', start: 50, end: 94, count: 5, fromPosition: 12, toPosition: 21 },
    ]);
    expect(mergeSegments(lane!.segments, createWindow(0, 100, 100))).toHaveLength(10);
  });

  it('shows only what the window contains', () => {
    const spans = mergeSegments(lane!.segments, createWindow(22, 41, 19));
    expect(spans.map(({ start }) => start)).toEqual([20, 30, 40]);
  });
});

describe('the size of a timeline', () => {
  /** Phases of steps with a tool each; times are irregular, and every 50th call fails. */
  function* generateSteps(phases: number, stepsPerPhase: number): Generator<Step> {
    let time = 0;
    for (let phase = 1; phase <= phases; phase += 1) {
      yield [0, 'PhaseEnded', time];
      yield [phase, 'PhaseStarted', (time += 3)];
      for (let step = 0; step < stepsPerPhase; step += 1) {
        yield [phase, 'ModelCallStarted', (time += step % 7)];
        yield [phase, 'ModelResponded', (time += (step * 37) % 1_000)];
        yield [phase, 'ToolCallRequested', time];
        yield [phase, step % 50 === 0 ? 'ToolCallFailed' : 'ToolCallCompleted', (time += (step * 11) % 90)];
      }
      yield [phase, 'PhaseCompleted', time];
    }
  }

  it.each([
    [1, 25_000, 800],
    [100, 250, 800],
    [1_000, 25, 100],
  ])('is bounded by the width and the phases: %i phases of %i steps', (phases, stepsPerPhase, width) => {
    const columns = toColumns(generateSteps(phases, stepsPerPhase));
    expect(columns.positions.length).toBeGreaterThan(100_000);
    const end = columns.times.at(-1)!;
    for (const window of [createWindow(0, end, width), createWindow(end / 3, end / 2, width)]) {
      const lanes = buildLanes(columns).map(({ segments }) => mergeSegments(segments, window));
      const spans = lanes.flat();
      expect(spans.length).toBeGreaterThan(width);
      expect(spans.length).toBeLessThanOrEqual(4 * (width + phases + 2));
      expect(collectMarks(columns, window).length).toBeLessThanOrEqual(5 * (width + 1));
    }
    const all = buildLanes(columns).flatMap(({ segments }) => mergeSegments(segments, createWindow(0, end, width)));
    const count = (kind: string) => all.filter((span) => span.kind === kind).reduce((sum, span) => sum + span.count, 0);
    expect([count('model'), count('tool')]).toEqual([phases * stepsPerPhase, phases * stepsPerPhase]);
  });
});
