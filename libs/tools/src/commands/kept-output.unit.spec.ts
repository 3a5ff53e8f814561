import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptOutput } from './kept-output.js';

describe('kept output', () => {
  it('is the whole where that fits, however it came, and otherwise its beginning, its end and what is missing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.array(fc.string({ maxLength: 60, unit: 'grapheme-ascii' })),
        (limit, parts) => {
          const kept = new KeptOutput(limit);
          for (const part of parts) kept.push(Buffer.from(part));
          const whole = parts.join('');
          const half = Math.ceil(limit / 2);
          expect(kept.bytes).toBe(whole.length);
          if (whole.length <= 2 * half) expect(kept.text()).toBe(whole);
          else
            expect(kept.text()).toBe(
              `${whole.slice(0, half)}\n[… ${whole.length - 2 * half} of ${whole.length} bytes left out …]\n${whole.slice(-half)}`,
            );
        },
      ),
    );
  });

  it('cuts no character in two', () => {
    const kept = new KeptOutput(10);
    kept.push(Buffer.from('ä€😀'.repeat(20)));
    expect(kept.text()).not.toContain('\ufffd');
  });
});
