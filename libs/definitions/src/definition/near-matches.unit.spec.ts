import { describe, expect, it } from 'vitest';
import { DefinitionSet } from './definition-set.js';
import { findNearMatches } from './near-matches.js';

describe('near matches', () => {
  it.each([
    ['creater', ['creator']],
    ['Creator', ['creator']],
    ['craetor', ['creator']],
    ['creator_v2', ['creator-v2']],
    ['crea', ['creator', 'creator-v2']],
    ['valid', ['validator']],
    ['feature loop', ['feature-loop']],
    ['banana', []],
    ['', []],
    ['x'.repeat(5_000), []],
  ])('of %j are %j', (name, expected) => {
    expect(findNearMatches(name, ['creator', 'creator-v2', 'validator', 'feature-loop'])).toEqual(expected);
  });
});

describe('a set of definitions', () => {
  const agents = new DefinitionSet('agent', [{ name: 'validator' }, { name: 'creator' }]);

  it('throws for an unknown name, with known names and suggestions', () => {
    expect(() => agents.get('Creater')).toThrow(
      expect.objectContaining({
        code: 'unknown_agent',
        suggestions: ['creator'],
        message: 'There is no agent "Creater". Did you mean "creator"? Known are: creator, validator.',
      }) as Error,
    );
  });

  it('knows neither members of every object nor paths', () => {
    for (const name of ['__proto__', 'constructor', 'toString', '../creator'])
      expect(() => agents.get(name)).toThrow(/There is no agent/);
    expect(agents.find('creator')).toEqual({ name: 'creator' });
  });
});
