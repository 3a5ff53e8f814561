import { describe, expect, it } from 'vitest';
import { parseFirstApiKey } from './parse-first-api-key.js';

describe('parseFirstApiKey', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['alice=0123456789abcdef,bob=fedcba9876543210', '0123456789abcdef'],
    [' 0123456789abcdef , other', '0123456789abcdef'],
    ['AAAAAAAAAAAAAAAAAAAAAA==', 'AAAAAAAAAAAAAAAAAAAAAA=='],
    ['bob=AAAAAAAAAAAAAAAAAAAAAA==', 'AAAAAAAAAAAAAAAAAAAAAA=='],
  ])('returns for %j the key %j', (setting, key) => expect(parseFirstApiKey(setting)).toBe(key));
});
