import { expect, it, describe } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

describe.each(findReaders('identity'))('as %s', { timeout: 800_000 }, (user) => {
  it('the page of identity can be followed', async () => {
    const blocks = await followPage('docs/how-to/identity.md', { as: user });
    const outputs = blocks.map(({ output }) => output);
    expect(outputs).toEqual([
      expect.stringMatching(/\(person\), without a key, as the user who runs the server\nroles: admin in all tenants/),
      expect.stringMatching(/admin in all tenants, granted by /),
      expect.stringMatching(/^ada \(person\), with the key [0-9a-f]{8}, until /),
      expect.stringMatching(/ben +person +enabled +operator in acme +0 +1 +ada/),
      expect.stringMatching(/^ben \(person\)[^]*rights in acme: .*jobs:submit/),
      expect.stringMatching(/builder \(service\), with the key [^]*rights in acme: jobs:read, jobs:submit$/),
      expect.stringMatching(/builder \(service\), on behalf of ben \(person\)[^]*rights in acme: .*jobs:control/),
      expect.stringMatching(/Revoked the key [0-9a-f]{8} of ben[^]*disabled since[^]*ben +revoked/),
      expect.stringMatching(/revoked[^]*"actor":\{"id":"ben","kind":"person"\}/),
    ]);
  });
});
