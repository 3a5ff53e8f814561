import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Seal } from './seal.js';

const secret = randomBytes(32);
const open = (name: string) => new Seal({ secret, format: '1' }, name);

describe('Seal', () => {
  it('opens what another process sealed for this one', () => {
    const sealed = open('worker').seal('{"version":3}', 'runner');
    expect(open('runner').open(sealed, 'worker')).toBe('{"version":3}');
    expect(Buffer.from(sealed, 'base64').includes('version')).toBe(false);
  });

  it('opens nothing that was sealed for another process, or by another one', () => {
    const sealed = open('worker').seal('text', 'runner');
    expect(open('other').open(sealed, 'worker')).toBeUndefined();
    expect(open('runner').open(sealed, 'another')).toBeUndefined();
    expect(open('worker').open(sealed, 'worker')).toBeUndefined();
  });

  it('opens nothing that was sealed with another secret or in another format, and says so with its mark', () => {
    const runner = open('runner');
    expect(open('worker').mark).toBe(runner.mark);
    for (const sealing of [
      { secret: randomBytes(32), format: '1' },
      { secret, format: '2' },
    ]) {
      const stranger = new Seal(sealing, 'worker');
      expect(runner.open(stranger.seal('text', 'runner'), 'worker')).toBeUndefined();
      expect(stranger.mark).not.toBe(runner.mark);
    }
  });

  it('opens nothing of which a byte was changed, wherever it is, or that was cut', () => {
    const runner = open('runner');
    const bytes = Buffer.from(open('worker').seal('a text', 'runner'), 'base64');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(runner.open(changed.toString('base64'), 'worker')).toBeUndefined();
      expect(runner.open(bytes.subarray(0, at).toString('base64'), 'worker')).toBeUndefined();
    }
    expect(runner.open('no base64: ÄÖ', 'worker')).toBeUndefined();
  });

  it('uses no nonce twice with a key', () => {
    const worker = open('worker');
    const headers = Array.from({ length: 100 }, () =>
      Buffer.from(worker.seal('text', 'runner'), 'base64').subarray(0, 28).toString('hex'),
    );
    expect(new Set(headers).size).toBe(100);
    expect(open('worker').seal('text', 'runner').slice(0, 20)).not.toBe(worker.seal('text', 'runner').slice(0, 20));
  });

  it('refuses a secret of another length', () => {
    expect(() => new Seal({ secret: randomBytes(16), format: '1' }, 'worker')).toThrow('the secret must have 32 bytes');
  });
});
