import { expect, it } from 'vitest';
import { findMissingPrerequisites, orderTools, toolOrders } from './tool-order.js';

it('every tool can run at some point, after those whose results it needs', () => {
  const found = orderTools(toolOrders);
  if (!('order' in found)) throw new Error(`never: ${found.impossible.join(', ')}`);
  expect([...found.order].sort()).toEqual(Object.keys(toolOrders).sort());
  expect(found.order.indexOf('node_generator')).toBeGreaterThan(found.order.indexOf('pattern_selector'));
  expect(found.order.indexOf('schedule_generator')).toBeGreaterThan(found.order.indexOf('roadmap_builder'));
});

it('names tools that need each other', () => {
  const circle = {
    first: { prerequisites: ['outline'], produces: ['roadmap'] },
    second: { prerequisites: ['roadmap'], produces: ['outline'] },
  } as const;
  expect(orderTools({ ...circle, third: { prerequisites: [], produces: [] } })).toEqual({
    impossible: ['first', 'second'],
  });
});

it('names what a tool needs that does not exist', () => {
  expect(findMissingPrerequisites('node_generator', new Set(['session', 'context']))).toEqual(['pattern']);
  expect(findMissingPrerequisites('node_generator', new Set(['context', 'pattern']))).toEqual([]);
});
