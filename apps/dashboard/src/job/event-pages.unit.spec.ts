import type { EventIndex, EventRow } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { estimateOrdinal, extendIndex, findPage, PAGE_EVENTS, resolveCursor } from './event-pages.js';

const at = (ordinal: number): string => new Date(ordinal * 1_000).toISOString();
/** A job whose n-th event is at position 10 n + 5, one per second. */
const positionOf = (ordinal: number): number => 10 * ordinal + 5;

function buildIndex(count: number): EventIndex {
  const pages = Math.ceil(count / PAGE_EVENTS);
  return {
    count,
    firstAt: at(0),
    lastAt: at(count - 1),
    lastPosition: positionOf(count - 1),
    anchors: Array.from({ length: pages }, (_, page) => ({
      position: page === 0 ? 0 : positionOf(page * PAGE_EVENTS - 1),
      at: at(page * PAGE_EVENTS),
    })),
  };
}
const buildRows = (page: number, count: number): readonly EventRow[] =>
  Array.from({ length: Math.min(PAGE_EVENTS, count - page * PAGE_EVENTS) }, (_, within) => ({
    position: positionOf(page * PAGE_EVENTS + within),
    at: at(page * PAGE_EVENTS + within),
    type: 'ModelResponded',
    summary: '',
  }));

describe('a cursor', () => {
  const count = 1_050;
  const index = buildIndex(count);

  it('finds every event by its ordinal and by its position', () => {
    for (let ordinal = 0; ordinal < count; ordinal += 1) {
      const position = positionOf(ordinal);
      for (const cursor of [{ kind: 'ordinal', ordinal } as const, { kind: 'position', position } as const]) {
        const rows = buildRows(findPage(cursor, index), count);
        expect(resolveCursor(cursor, index, rows)).toEqual({ ordinal, position });
      }
    }
  });

  it('between two events is at the earlier one', () => {
    const cursor = { kind: 'position', position: positionOf(400) + 3 } as const;
    expect(resolveCursor(cursor, index, buildRows(findPage(cursor, index), count)).ordinal).toBe(400);
  });

  it('outside of the job is at its first or last event', () => {
    expect(resolveCursor({ kind: 'ordinal', ordinal: -5 }, index, buildRows(0, count)).ordinal).toBe(0);
    expect(resolveCursor({ kind: 'ordinal', ordinal: 9_999 }, index, buildRows(5, count)).ordinal).toBe(count - 1);
    expect(resolveCursor({ kind: 'end' }, index, undefined)).toEqual({
      ordinal: count - 1,
      position: positionOf(count - 1),
    });
  });

  it('has no position until its page is loaded', () => {
    expect(resolveCursor({ kind: 'ordinal', ordinal: 700 }, index, undefined)).toEqual({
      ordinal: 700,
      position: undefined,
    });
  });
});

it('estimates the ordinal of a time', () => {
  const index = buildIndex(1_050);
  for (const ordinal of [0, 1, 199, 200, 512, 1_049])
    expect(Math.abs(estimateOrdinal(ordinal * 1_000 + 1, index) - ordinal)).toBeLessThanOrEqual(1);
  expect(estimateOrdinal(-1, index)).toBe(0);
  expect(estimateOrdinal(1e12, index)).toBe(1_049);
});

it.each([1, 199, 200, 201, 650])('an index of %i events is extended by what came later', (before) => {
  const whole = buildIndex(1_050);
  const index = buildIndex(before);
  const kept = index.anchors.length - 1;
  const later: EventIndex = {
    ...whole,
    count: whole.count - kept * PAGE_EVENTS,
    firstAt: at(kept * PAGE_EVENTS),
    anchors: whole.anchors.slice(kept),
  };
  expect(extendIndex(index, later)).toEqual(whole);
});
