import { expect, it } from 'vitest';
import { createPackHost } from './storing-packs.js';

it('keeps encrypted jobs away from packs that store data in shared tables', async () => {
  const nowhere = {} as never;
  const encrypted = '01234567-89ab-8def-8123-0123456789ab';
  await expect(createPackHost(nowhere, nowhere).getTenant(encrypted)).rejects.toMatchObject({
    code: 'not_for_encrypted_jobs',
  });
});
