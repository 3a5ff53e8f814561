import { describe, expect, it } from 'vitest';
import { itemSchema } from './item.js';
import { findDeviations, readInputList, toItems } from './input-list.js';

const item = (id: string, more: object = {}) => ({
  ...{ id, description: `The feature ${id}.`, checks: [{ verifier: 'unit', tests: [`${id} works`] }] },
  ...more,
});
const read = (value: unknown) => {
  const list = readInputList(JSON.stringify(value));
  if ('problem' in list) throw new Error(list.problem);
  return list.items;
};

describe('a list that came with a job', () => {
  it('is a list of items, or what the system writes, whose progress does not count', () => {
    const written = { features: [item('a', { status: 'tested', tested: true, attempts: 1, evidence: { phase: 3 } })] };
    expect(read([item('a')])).toEqual([item('a')]);
    expect(read(written)).toEqual([item('a')]);
    expect(toItems(read(written))).toEqual([item('a', { ui: false })]);
  });

  it.each([
    ['{', /is no JSON/],
    ['[]', /feature-list\.json: .*too small/i],
    [JSON.stringify([{ id: 'A' }]), /id.*description/s],
  ])('that cannot be read is described: %s', (text, problem) => {
    expect(readInputList(text)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('items that are handed in', () => {
  const listed = read([item('a'), item('b', { checks: undefined })]);
  const parse = (...items: readonly object[]) => items.map((one) => itemSchema.parse(one));

  it('may add what the list leaves open', () => {
    expect(findDeviations(listed, parse(item('b'), item('a'), item('c')))).toEqual([]);
  });

  it.each<[string, readonly object[], string]>([
    ['lack one', [item('b')], 'a: is in documents/feature-list.json and missing here'],
    ['lack one without checks', [item('a')], "b: documents/feature-list.json names no 'checks'"],
    ['describe one otherwise', [item('a', { description: 'Less.' }), item('b')], "a: 'description' differs"],
    [
      'prove one otherwise',
      [item('a', { checks: [{ verifier: 'unit', tests: ['x'] }] }), item('b')],
      "a: 'checks' differs",
    ],
  ])('are refused if they %s', (_what, items, problem) => {
    expect(findDeviations(listed, parse(...items))).toEqual([expect.stringContaining(problem)]);
  });
});
