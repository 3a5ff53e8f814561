import { expect, it } from 'vitest';
import { toolOrders, type PlanningTool } from '../session/tool-order.js';
import { memoRules } from './memo-rules.js';
import {
  computeMemoKey,
  MAX_MEMO_BYTES,
  MAX_MEMO_ENTRIES,
  type MemoCall,
  type MemoEntry,
  type PlanMemo,
  planMemoSchema,
  recallAnswer,
  rememberAnswer,
} from './plan-memo.js';

const EMPTY: PlanMemo = { entries: [] };
const hashOf = (number: number) => number.toString(16).padStart(64, '0');

function buildEntry(number: number, changes: Partial<MemoEntry> = {}): MemoEntry {
  const result = { ok: true, adaptations: 2 };
  return { key: hashOf(number), tool: 'summarizer', left: {}, answer: { number }, result, ...changes };
}

const fill = (count: number, changes: Partial<MemoEntry> = {}): PlanMemo =>
  Array.from({ length: count }, (_, index) => buildEntry(index, changes)).reduce(rememberAnswer, EMPTY);

it('an answer is remembered by its key and says that it is remembered; changes count for the call that made them', () => {
  const memo = fill(3);
  expect(recallAnswer(memo, hashOf(1), () => null)).toEqual({
    answer: { number: 1, memo: true },
    result: { ok: true, adaptations: 0, memo: true },
  });
  expect(recallAnswer(memo, hashOf(9), () => null)).toBeUndefined();
});

it('an answer holds only while everything that its call changed is as it left it', () => {
  const left = { 'artifact outline': hashOf(7), 'session proposal': null };
  const memo = rememberAnswer(EMPTY, buildEntry(1, { left }));
  const recall = (present: Record<string, string | null>) =>
    recallAnswer(memo, hashOf(1), (name) => present[name] ?? null);
  expect(recall(left)).toBeDefined();
  expect(recall({ ...left, 'artifact outline': hashOf(8) })).toBeUndefined();
  expect(recall({ ...left, 'artifact outline': null })).toBeUndefined();
  expect(recall({ ...left, 'session proposal': hashOf(1) })).toBeUndefined();
});

it('has a bounded number of answers and drops the oldest; one that is added again is the newest', () => {
  const full = fill(MAX_MEMO_ENTRIES);
  const again = rememberAnswer(full, buildEntry(0));
  expect(again.entries).toHaveLength(MAX_MEMO_ENTRIES);
  const more = rememberAnswer(again, buildEntry(1_000));
  expect(more.entries.map(({ answer }) => answer['number'])).toEqual([
    ...Array.from({ length: MAX_MEMO_ENTRIES - 2 }, (_, index) => index + 2),
    0,
    1_000,
  ]);
  expect(planMemoSchema.parse(more)).toEqual(more);
});

it('has a bounded size in bytes, not in characters; an answer larger than that is not remembered', () => {
  // Three bytes per character: three answers fit, which would be nine if characters were counted.
  const answer = { text: '€'.repeat(MAX_MEMO_BYTES / 10) };
  const memo = fill(9, { answer });
  expect(memo.entries.map(({ key }) => key)).toEqual([hashOf(6), hashOf(7), hashOf(8)]);
  expect(Buffer.byteLength(JSON.stringify(memo))).toBeLessThan(MAX_MEMO_BYTES + 2_000);
  const tooLarge = buildEntry(10, { answer: { text: 'x'.repeat(MAX_MEMO_BYTES) } });
  expect(rememberAnswer(memo, tooLarge)).toEqual(memo);
});

it('a call has another key if anything differs that decides its answer, and the same one whatever the order of members', () => {
  const call: MemoCall = {
    ...{ tool: 'node_generator', arguments: { a: 1, b: [1, 2] }, policy: { tone: 'neutral' } },
    ...{ maker: { model: 'm', prompts: 'p' }, reads: { 'artifact context': 'c' } },
  };
  const others: readonly Partial<MemoCall>[] = [
    {},
    { tool: 'roadmap_builder' },
    { arguments: { a: 1, b: [2, 1] } },
    { policy: { tone: 'friendly' } },
    { maker: { model: 'n', prompts: 'p' } },
    { maker: { model: 'm', prompts: 'q' } },
    { reads: { 'artifact context': 'd' } },
    { reads: { 'artifact context': null } },
  ];
  const keys = others.map((other) => computeMemoKey({ ...call, ...other }, (text) => text));
  expect(new Set(keys).size).toBe(others.length);
  const { a, b } = { a: 1, b: [1, 2] };
  expect(computeMemoKey({ ...call, arguments: { b, a } }, (text) => text)).toBe(keys[0]);
});

it('a remembered tool says what it leaves of everything that it makes', () => {
  const missing = (Object.keys(memoRules) as PlanningTool[]).flatMap((tool) => {
    const rule = memoRules[tool];
    if (rule.kind === 'computed') return [];
    const { artifacts = [], files = [], session = [] } = rule.leaves;
    const left = new Set([...artifacts, ...session, ...files.map((path) => /(\w+)\.json$/.exec(path)![1])]);
    return toolOrders[tool].produces
      .filter((product) => !left.has(product === 'pattern' ? 'selectedPattern' : product))
      .map((product) => `${tool} ${product}`);
  });
  expect(missing).toEqual([]);
});
