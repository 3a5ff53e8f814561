import { expect, it } from 'vitest';
import { compareTokenisers } from './compare-tokenisers.js';

it('tokenisers differ little on English, and more on other texts', async () => {
  const english = await compareTokenisers([
    'The service keeps every invoice for ten years, and says where each one came from.',
  ]);
  expect(english.low).toBeGreaterThan(0.9);
  expect(english.high).toBeLessThan(1.2);
  const chinese = await compareTokenisers(['该服务将每张发票保存十年，并说明每张发票的来源。']);
  expect(chinese.high).toBeGreaterThan(1.3);
});

it('special tokens count as text, and long runs without spaces take no long time', async () => {
  const { low, high } = await compareTokenisers(['<|endoftext|>', 'a'.repeat(100_000)]);
  expect(low).toBeLessThanOrEqual(1);
  expect(high).toBeGreaterThanOrEqual(1);
});

it('nothing is known without texts', async () => {
  expect(await compareTokenisers([])).toEqual({ low: 1, high: 1 });
});
