import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decrypt, encrypt } from './authenticated-cipher.js';
import { JobKey } from './job-key.js';
import { MasterKeys } from './master-keys.js';
import { MasterKeyInvalid, MasterKeyMissing, DecryptionFailed } from './encryption-errors.js';

describe('master keys', () => {
  it.each(['', '# nothing', 'short', `${randomBytes(31).toString('base64')}`, 'x'.repeat(44)])(
    'are rejected if the text is %j',
    (text) => {
      expect(() => MasterKeys.parse(text)).toThrow(MasterKeyInvalid);
    },
  );

  it('never appear in an error', () => {
    const invalid = `${MasterKeys.generate()}x`;
    expect(() => MasterKeys.parse(invalid)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining(invalid) }),
    );
  });

  it('wrap with the first key and unwrap with any, only for the same job', () => {
    const [first, second] = [MasterKeys.generate(), MasterKeys.generate()];
    const key = JobKey.generate();
    const old = MasterKeys.parse(second).wrap('job', key.bytes);
    const both = MasterKeys.parse(`${first},${second}`);
    expect(both.unwrap('job', old)).toEqual(Buffer.from(key.bytes));
    expect(both.wrap('job', key.bytes).masterKeyId).toBe(both.ids[0]);
    expect(() => both.unwrap('other', old)).toThrow(DecryptionFailed);
    expect(() => MasterKeys.parse(first).unwrap('job', old)).toThrow(MasterKeyMissing);
    expect(() => MasterKeys.none.wrap('job', key.bytes)).toThrow(/PHASELINE_MASTER_KEY_FILE/);
    expect(old.wrapped.includes(Buffer.from(key.bytes))).toBe(false);
  });
});

it('ciphertext can be decrypted only unchanged, with its key and for its place; equal plaintexts have different ciphertexts', () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const plain = Buffer.from('confidential');
  const encrypted = encrypt(key, plain, 'here');
  expect(decrypt(key, encrypted, 'here')).toEqual(plain);
  expect(decrypt(key, encrypted, 'there')).toBeUndefined();
  expect(decrypt(other, encrypted, 'here')).toBeUndefined();
  for (let at = 0; at < encrypted.byteLength; at += 1) {
    const changed = Buffer.from(encrypted);
    changed[at]! ^= 1;
    expect(decrypt(key, changed, 'here')).toBeUndefined();
  }
  expect(decrypt(key, encrypted.subarray(0, 20), 'here')).toBeUndefined();
  expect(encrypt(key, plain, 'here')).not.toEqual(encrypted);
});
