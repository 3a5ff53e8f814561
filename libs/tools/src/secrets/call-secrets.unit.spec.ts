import { ToolError } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { CallSecrets } from './call-secrets.js';
import { maskOutcome } from './mask-outcome.js';

const stored: Readonly<Record<string, string>> = { TOKEN: 's3cret/value+1', OTHER: 'another secret' };
const reads: (readonly string[])[] = [];
const readSecrets = async (names: readonly string[]) => {
  reads.push(names);
  return Object.fromEntries(
    names.map((name) => {
      if (stored[name] === undefined) throw new ToolError('secret_missing', `no secret ${name}`);
      return [name, stored[name]];
    }),
  );
};
const create = (declared?: readonly string[]): CallSecrets => new CallSecrets({ readSecrets, declared });

describe('references in settings', () => {
  it('are replaced by secrets and variables, and both are masked from then on', async () => {
    const secrets = create();
    expect(secrets.mask.maskText('s3cret/value+1')).toBe('s3cret/value+1');
    const values = { AUTH: 'Bearer ${secret:TOKEN}', PLAIN: 'as it is', BOTH: '${USER_ID}:${secret:TOKEN}' };
    expect(await secrets.fill(values, ['TOKEN'], { USER_ID: 'user-of-spec' })).toEqual({
      AUTH: 'Bearer s3cret/value+1',
      PLAIN: 'as it is',
      BOTH: 'user-of-spec:s3cret/value+1',
    });
    const encoded = Buffer.from('user-of-spec:s3cret/value+1').toString('base64');
    expect(secrets.mask.maskText(`s3cret/value+1 ${encoded} user-of-spec`)).toMatch(
      /^\[TOKEN\] .*\[TOKEN\] \[USER_ID\]$/,
    );
  });

  it('read no secret that the settings do not declare, not even from the store', async () => {
    reads.length = 0;
    await expect(create().fill({ A: '${secret:TOKEN}' }, ['OTHER'])).rejects.toMatchObject({ code: 'secret_refused' });
    expect(reads).toEqual([]);
  });

  it('do not expand what a value contains', async () => {
    const nested = new CallSecrets({ readSecrets: async () => ({ TOKEN: '${HOME} ${secret:OTHER}' }) });
    expect(await nested.fill({ A: '${secret:TOKEN}' }, ['TOKEN'])).toEqual({ A: '${HOME} ${secret:OTHER}' });
  });

  it('fail for a secret that does not exist, and where there is no store', async () => {
    await expect(create().fill({ A: '${secret:NONE}' }, ['NONE'])).rejects.toMatchObject({ code: 'secret_missing' });
    const without = new CallSecrets().fill({ A: '${secret:TOKEN}' }, ['TOKEN']);
    await expect(without).rejects.toMatchObject({ code: 'secret_missing' });
  });

  it.each([
    'DATABASE_URL',
    'REDIS_URL',
    'OPENAI_API_KEY',
    'PHASELINE_API_KEYS',
    'PGPASSWORD',
    'NEO4J_PASSWORD',
    'TAVILY_API_KEY',
    'NODE_OPTIONS',
    'LD_PRELOAD',
  ])('to the variable %s are rejected, because it belongs to the services', async (name) => {
    const filled = create().fill({ X: `\${${name}}` }, [], { [name]: 'there' });
    await expect(filled).rejects.toMatchObject({ code: 'reference_refused' });
  });

  it('to a variable that is not set are rejected with its name', async () => {
    await expect(create().fill({ X: '${NOT_THERE}' }, [], {})).rejects.toThrow(/NOT_THERE, which is not set/);
  });
});

it('a tool reads only the secrets that it declares', async () => {
  expect(await create(['TOKEN']).get('TOKEN')).toBe('s3cret/value+1');
  await expect(create(['TOKEN']).get('OTHER')).rejects.toMatchObject({ code: 'secret_refused' });
});

describe('an outcome', () => {
  const value = stored['TOKEN']!;

  it('contains no secret in its text, result, files, their names, nor after a rebase', async () => {
    const secrets = create(['TOKEN']);
    await secrets.get('TOKEN');
    const binary = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(value), Buffer.from([254])]);
    const parts = {
      content: `text ${value}`,
      files: [
        { path: `work/${encodeURIComponent(value)}.txt`, content: Buffer.from('x') },
        { path: 'work/binary', content: binary },
        { path: 'work/plain', content: Buffer.from('plain') },
        { path: 'work/gone', deleted: true as const },
      ],
    };
    const outcome = maskOutcome({ ...parts, result: { deep: [value] }, rebase: async () => parts }, secrets.mask);
    for (const { content, files } of [outcome, await outcome.rebase!(undefined as never)]) {
      expect(content).toMatch(/^text \[TOKEN\]\n\[Values of secrets .* work\/\[TOKEN\]\.txt, work\/binary\.\]$/);
      expect(files).toEqual([
        { path: 'work/[TOKEN].txt', content: Buffer.from('x') },
        {
          path: 'work/binary',
          content: Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from('[TOKEN]'), Buffer.from([254])]),
        },
        parts.files[2],
        parts.files[3],
      ]);
    }
    expect(outcome.result).toEqual({ deep: ['[TOKEN]'] });
  });

  it('of a call without secrets stays the same object', () => {
    const outcome = { content: value };
    expect(maskOutcome(outcome, create().mask)).toBe(outcome);
  });
});
