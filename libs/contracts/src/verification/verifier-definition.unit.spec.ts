import { describe, expect, it } from 'vitest';
import {
  overrideCases,
  overrideVerifier,
  submittedVerifiersSchema,
  verifierDefinitionSchema,
  verifierRequestSchema,
} from './verifier-definition.js';

const agent = verifierDefinitionSchema.parse({
  name: 'unit',
  kind: 'unit',
  argv: ['npm', 'test'],
  inputs: ['test/**'],
  reads: { junit: 'junit.xml' },
  setup: { argv: ['npm', 'ci'], network: ['registry.example.org'] },
  secrets: ['TOKEN'],
  env: { TOKEN: '${secret:TOKEN}' },
});

describe('a definition of a verifier', () => {
  it.each([
    ['no command', { name: 'a' }, /expected one of 'argv', 'requests', 'queries'/],
    [
      'two commands',
      { name: 'a', kind: 'api', argv: ['a'], requests: [{ url: 'http://localhost/' }] },
      /expected one of/,
    ],
    ['unit tests without a count', { name: 'a', kind: 'unit', argv: ['a'], inputs: ['b'] }, /report that counts tests/],
    [
      'unit tests without inputs',
      { name: 'a', kind: 'unit', argv: ['a'], reads: { tap: 'stdout' } },
      /globs of the tests/,
    ],
    ['a minimum without a count', { name: 'a', argv: ['a'], minTests: 2 }, /needs a report that counts/],
    ['two reports', { name: 'a', argv: ['a'], reads: { tap: 'stdout', junit: 'a.xml' } }, /expected one of 'exitCode'/],
    ['requests of another kind', { name: 'a', requests: [{ url: 'http://localhost/' }] }, /is for the kind 'api'/],
    [
      'a request that leaves the machine',
      { name: 'a', kind: 'api', requests: [{ url: 'http://example.org/' }] },
      /URL/,
    ],
    ['a path that leads out', { name: 'a', argv: ['a'], inputs: ['../b'] }, /without empty, '\.' and '\.\.' parts/],
    ['a secret that it does not declare', { name: 'a', argv: ['a'], env: { A: '${secret:B}' } }, /does not name/],
    ['an empty command', { name: 'a', argv: [''] }, /name of a program/],
    ['screenshots of another kind', { name: 'a', argv: ['a'], screenshots: ['a.png'] }, /kind 'browser'/],
  ])('is refused with %s', (_what, definition, problem) => {
    const { error } = verifierDefinitionSchema.safeParse(definition);
    expect(error?.issues.map(({ message }) => message).join('; ')).toMatch(problem);
  });
});

describe('a submission', () => {
  it('replaces members of a verifier, whose new command gets no secret of the agent', () => {
    const { env, secrets, ...rest } = overrideVerifier('unit', agent, {
      argv: ['make', 'check'],
      reads: { tap: 'stdout' },
    });
    expect([env, secrets]).toEqual([undefined, undefined]);
    expect(rest).toMatchObject({ argv: ['make', 'check'], reads: { tap: 'stdout' }, inputs: ['test/**'] });
    expect(overrideVerifier('unit', agent, { minTests: 5 })).toEqual({ ...agent, minTests: 5 });
  });

  it('replaces a set-up, which reaches the hosts that the agent names', () => {
    const setup = submittedVerifiersSchema.parse({ unit: { setup: { argv: ['pnpm', 'install'] } } })['unit'];
    expect(overrideVerifier('unit', agent, setup as object).setup).toMatchObject({
      argv: ['pnpm', 'install'],
      network: ['registry.example.org'],
    });
    expect(overrideVerifier('other', undefined, { argv: ['true'], ...setup }).setup?.network).toBeUndefined();
  });

  it.each(['env', 'secrets', 'network', 'path'])('cannot set %s', (member) => {
    expect(submittedVerifiersSchema.safeParse({ unit: { argv: ['a'], [member]: [] } }).success).toBe(false);
    expect(submittedVerifiersSchema.safeParse({ unit: { argv: ['a'] } }).success).toBe(true);
  });

  it('may define a verifier that the agent does not have, but no half of one', () => {
    expect(overrideVerifier('new', undefined, { argv: ['true'] })).toEqual({ name: 'new', argv: ['true'] });
    expect(() => overrideVerifier('new', undefined, { minTests: 3 })).toThrow(/expected one of/);
  });
});

describe('the cases of a feature', () => {
  const requests = [verifierRequestSchema.parse({ url: 'http://localhost/items' })];

  it('take the place of what a verifier runs, and keep what it runs with', () => {
    const browser = { ...agent, kind: 'browser' as const, screenshots: ['shots/*.png'], minTests: 2 };
    const { env, secrets, setup, inputs, name } = agent;
    expect(overrideCases(browser, { requests })).toEqual({
      ...{ env, secrets, setup, inputs, name, kind: 'api', requests },
    });
    const queries = [{ sqlite: 'shop.db', sql: 'SELECT 1', minRows: 1 }];
    expect(overrideCases(agent, { queries })).toEqual({ env, secrets, setup, inputs, name, kind: 'database', queries });
    for (const cases of [{ requests }, { queries }])
      expect(verifierDefinitionSchema.safeParse(overrideCases(browser, cases)).success).toBe(true);
  });

  it('leave it as it is if they name tests', () => {
    expect(overrideCases(agent, { tests: ['adds'] })).toBe(agent);
  });
});
