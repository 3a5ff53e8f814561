import { describe, expect, it } from 'vitest';
import { fillReferences, withoutSecrets } from './fill-references.js';

describe('references to variables', () => {
  it('are filled in, and what was filled in is taken out of texts again in every spelling it may come back in', () => {
    const { values, secrets } = fillReferences(
      { AUTH: 'Bearer ${TOKEN}', PLAIN: 'as it is', BOTH: '${USER_ID}:${TOKEN}' },
      { TOKEN: 's3cret/value+1', USER_ID: 'u' },
    );
    expect(values).toEqual({ AUTH: 'Bearer s3cret/value+1', PLAIN: 'as it is', BOTH: 'u:s3cret/value+1' });
    const told = `a s3cret/value+1 b ${encodeURIComponent('s3cret/value+1')} c ${Buffer.from('s3cret/value+1').toString('base64')} u`;
    // The short one would be found in every text, and is left.
    expect(withoutSecrets(told, secrets)).toBe('a [TOKEN] b [TOKEN] c [TOKEN] u');
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
  ])('to %s are refused: it belongs to the services', (name) => {
    const fill = () => fillReferences({ X: `\${${name}}` }, { [name]: 'there' });
    expect(fill).toThrow(expect.objectContaining({ code: 'reference_refused' }));
  });

  it('to what is not set are refused by name', () => {
    expect(() => fillReferences({ X: '${NOT_THERE}' }, {})).toThrow(/NOT_THERE, which is not set/);
  });
});
