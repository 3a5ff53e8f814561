import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../command/command-errors.js';
import { chooseServer, findLocalStack } from './server-url.js';

const noStack = async (): Promise<undefined> => undefined;
const stack = async () => ({ apiUrl: 'http://127.0.0.1:4242', apiKey: 'key-of-the-stack' });

describe('the server of a command', () => {
  it('is the one of --url if given', async () => {
    expect(
      await chooseServer({ option: 'https://one.example/x', env: { PHASELINE_URL: 'http://two.example' } }, stack),
    ).toEqual({ url: 'https://one.example/x' });
  });

  it('is otherwise the one of PHASELINE_URL', async () => {
    expect(await chooseServer({ option: undefined, env: { PHASELINE_URL: ' http://two.example ' } }, stack)).toEqual({
      url: 'http://two.example',
    });
  });

  it('is otherwise the running local stack, with its key', async () => {
    expect(await chooseServer({ option: undefined, env: { PHASELINE_URL: '' } }, stack)).toEqual({
      url: 'http://127.0.0.1:4242',
      apiKey: 'key-of-the-stack',
    });
  });

  it('is the default port if no stack is running', async () => {
    expect(await chooseServer({ option: undefined, env: {} }, noStack)).toEqual({ url: 'http://127.0.0.1:7070' });
  });

  it.each([['localhost:7070'], ['ftp://x'], ['http://user:secret@host'], ['http://host/?a=1'], ['']])(
    'cannot be %j',
    async (option) => {
      const error: unknown = await chooseServer({ option, env: {} }, noStack).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UsageError);
      expect((error as Error).message).not.toContain('secret');
    },
  );
});

describe('the search for a local stack', () => {
  it('does not create PHASELINE_HOME', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-cli-'));
    try {
      expect(await findLocalStack({}, folder)).toBeUndefined();
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
