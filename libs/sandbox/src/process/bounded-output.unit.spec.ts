import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretMask } from '@phaseline/basics/secrets';
import { BoundedOutput } from './bounded-output.js';

describe('kept output', () => {
  it('returns everything that fits, however it is chunked, and otherwise beginning, end and the number of omitted bytes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.array(fc.string({ maxLength: 60, unit: 'grapheme-ascii' })),
        (limit, parts) => {
          const kept = new BoundedOutput(limit);
          for (const part of parts) kept.push(Buffer.from(part));
          const whole = parts.join('');
          const half = Math.ceil(limit / 2);
          expect(kept.bytes).toBe(whole.length);
          if (whole.length <= 2 * half) expect(kept.text()).toBe(whole);
          else
            expect(kept.text()).toBe(
              `${whole.slice(0, half)}\n[… ${whole.length - 2 * half} of ${whole.length} bytes omitted …]\n${whole.slice(-half)}`,
            );
        },
      ),
    );
  });

  it('does not split characters', () => {
    const kept = new BoundedOutput(10);
    kept.push(Buffer.from('ä€😀'.repeat(20)));
    expect(kept.text()).not.toContain('\ufffd');
  });
});

it('leaves no part of a secret, wherever the output is cut', () => {
  const secret = 'correct-horse-battery-staple';
  const mask = new SecretMask({ TOKEN: secret });
  for (let before = 0; before < 80; before += 1) {
    const kept = new BoundedOutput(60, mask);
    const output = Buffer.from(`${'.'.repeat(before)}${secret}${'.'.repeat(200)}${secret}${'.'.repeat(80 - before)}`);
    for (let at = 0; at < output.byteLength; at += 7) kept.push(output.subarray(at, at + 7));
    for (let at = 0; at + 4 <= secret.length; at += 1) expect(kept.text()).not.toContain(secret.slice(at, at + 4));
  }
});
