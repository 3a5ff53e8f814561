import { describe, expect, it } from 'vitest';
import { fillReferences, maskSecrets } from './fill-references.js';

describe('references to variables', () => {
  it('are replaced with values, and the values are masked in texts in every encoding in which they may return', () => {
    const { values, secrets } = fillReferences(
      { AUTH: 'Bearer ${TOKEN}', PLAIN: 'as it is', BOTH: '${USER_ID}:${TOKEN}' },
      { TOKEN: 's3cret/value+1', USER_ID: 'u' },
    );
    expect(values).toEqual({ AUTH: 'Bearer s3cret/value+1', PLAIN: 'as it is', BOTH: 'u:s3cret/value+1' });
    const output = `a s3cret/value+1 b ${encodeURIComponent('s3cret/value+1')} c ${Buffer.from('s3cret/value+1').toString('base64')} u`;
    // The short value would match in every text, so it is not masked.
    expect(maskSecrets(output, secrets)).toBe('a [TOKEN] b [TOKEN] c [TOKEN] u');
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
  ])('to %s are rejected, because it belongs to the services', (name) => {
    const fill = () => fillReferences({ X: `\${${name}}` }, { [name]: 'there' });
    expect(fill).toThrow(expect.objectContaining({ code: 'reference_refused' }));
  });

  it('to a variable that is not set are rejected with its name', () => {
    expect(() => fillReferences({ X: '${NOT_THERE}' }, {})).toThrow(/NOT_THERE, which is not set/);
  });
});
