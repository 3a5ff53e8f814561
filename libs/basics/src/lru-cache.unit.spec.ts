import { describe, expect, it } from 'vitest';
import { LruCache } from './lru-cache.js';

const has = (cache: LruCache<string>, keys: string): string => [...keys].filter((key) => cache.get(key)).join('');

describe('LruCache', () => {
  it('evicts the least recently used entries beyond its capacity', () => {
    const cache = new LruCache<string>(2);
    cache.set('a', '1');
    cache.set('b', '1');
    cache.get('a');
    cache.set('c', '1');
    expect(has(cache, 'abc')).toBe('ac');
  });

  it('counts weights, also of values that are replaced, deleted or too heavy to be kept', () => {
    const cache = new LruCache<string>(4, (value) => value.length);
    cache.set('a', 'xx');
    cache.set('a', 'xxx');
    cache.set('b', 'x');
    expect(has(cache, 'ab')).toBe('ab');
    cache.delete('a');
    cache.set('c', 'xxx');
    expect(has(cache, 'abc')).toBe('bc');
    cache.set('d', 'xxxxx');
    expect(has(cache, 'abcd')).toBe('');
  });
});
