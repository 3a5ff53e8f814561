import { deflateSync } from 'node:zlib';
import { SecretMask } from '@phaseline/basics/secrets';
import type { Tree } from '@phaseline/workspace';
import { expect, it } from 'vitest';
import { listMadeCommits } from './read-head.js';

const PREVIOUS = 'a'.repeat(40);
const HEAD = 'b'.repeat(40);

/** Lists the commits of a repository in which the agent made one with this message. */
function listWithMessage(message: string, mask: SecretMask) {
  const text = `tree ${'c'.repeat(40)}\nparent ${PREVIOUS}\nauthor A <a@example.org> 0 +0000\n\n${message}\n`;
  const object = deflateSync(Buffer.from(`commit ${Buffer.byteLength(text)}\0${text}`));
  const path = `repository/.git/objects/${HEAD.slice(0, 2)}/${HEAD.slice(2)}`;
  const tree: Tree = { [path]: { hash: HEAD, size: object.length, writtenAt: '2026-01-01T00:00:00.000Z' } };
  return listMadeCommits(tree, { get: async () => object }, mask, { head: HEAD, previous: PREVIOUS });
}

it('the subject of a commit contains no secret, also where it is shortened', async () => {
  const mask = new SecretMask({ TOKEN: 'value-of-the-token' });
  expect(await listWithMessage('add value-of-the-token\n\nmore', mask)).toEqual([
    { commit: HEAD, subject: 'add [TOKEN]' },
  ]);
  const [cut] = await listWithMessage(`${'x'.repeat(190)}value-of-the-token`, mask);
  expect(cut!.subject).toBe(`${'x'.repeat(190)}[TOKEN]`);
});
