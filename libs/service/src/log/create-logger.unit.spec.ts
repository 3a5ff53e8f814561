import { describe, expect, it } from 'vitest';
import { createLogger } from './create-logger.js';
import { rememberSecrets } from './secrets.js';

const env = {
  DATABASE_URL: 'postgresql://app:p%40ss-word-1@db:5432/phaseline',
  OPENAI_API_KEY: 'a-model-key-without-a-known-shape',
  PHASELINE_API_KEYS: 'first-key-0123456789, second-key-0123456789',
  OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one,authorization=Bearer%20collector-key-1,x-auth=Token%20escaped%2Fkey%3D2',
};

function captureLog(write: (logger: ReturnType<typeof createLogger>) => void): {
  text: string;
  lines: Record<string, unknown>[];
} {
  let text = '';
  write(
    createLogger({
      service: 'tool-runner',
      processId: 'tool-runner-1',
      level: 'debug',
      env,
      destination: { write: (line: string) => void (text += line) },
    }),
  );
  return {
    text,
    lines: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('createLogger', () => {
  it('writes one JSON object per line, with service and process id', () => {
    const { lines } = captureLog((logger) => logger.info({ jobId: 'j1' }, 'line one\nline two'));
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        service: 'tool-runner',
        processId: 'tool-runner-1',
        jobId: 'j1',
        message: 'line one\nline two',
      },
    ]);
  });

  it.each([
    ["a URL in a driver's message", new Error('connect failed: postgresql://app:otherpass99@db:5432/x')],
    ['the decoded password of DATABASE_URL', new Error('password "p@ss-word-1" refused')],
    ['a model key that a server repeats', new Error('Incorrect API key provided: sk-abcDEF123456')],
    ['a model key without a known shape', new Error('key a-model-key-without-a-known-shape is not valid')],
    ['one of our API keys', new Error('unknown key second-key-0123456789')],
    ['a key of this system', new Error('plk_0a1b2c3d_abcdefghijklmnopqrstuvwxyz012345 is not valid')],
    ['a login link', new Error('GET /login#pll_abcdefghijklmnopqrstuvwxyz012345 failed')],
    ['a model key in base64', new Error(Buffer.from('x:a-model-key-without-a-known-shape').toString('base64'))],
    ['a header for the collector', new Error('401 for collector-key-1, sent as Bearer%20collector-key-1')],
    ['a header with escapes, as it is sent', new Error('401 for Token escaped/key=2')],
    ['the value of a header with escapes', new Error('401 for escaped/key=2')],
    ['a bearer token', new Error('sent Authorization: Bearer abc.def.ghi-jkl')],
  ])('redacts %s', (_what, error) => {
    const { text } = captureLog((logger) => logger.error({ error, detail: { message: error.message } }, error.message));
    expect(text).not.toMatch(
      /otherpass99|collector-key|escaped|p@ss-word-1|p%40ss|sk-abcDEF|without-a-known-shape|second-key|abc\.def|abcdefghijkl|LXdpdGhvdXQt/,
    );
    expect(text).toContain('***');
  });

  it.each(['authorization', 'apiKey', 'password', 'set-cookie', 'x-api-key'])(
    'redacts the field %s, at the top and one level down',
    (field) => {
      const { text } = captureLog((logger) =>
        logger.info({ [field]: 'open sesame', headers: { [field]: 'open sesame' } }, 'request'),
      );
      expect(text).not.toContain('sesame');
    },
  );

  it('names the trace of a line that concerns a job', () => {
    const jobId = '0195f1c2-aaaa-7bbb-8ccc-0123456789ab';
    const { lines } = captureLog((logger) => {
      logger.info({ jobId }, 'of a job');
      logger.info('of none');
    });
    expect(lines.map(({ trace_id: traceId }) => traceId)).toEqual(['0195f1c2aaaa7bbb8ccc0123456789ab', undefined]);
  });

  it('redacts a value from the moment at which it was used', () => {
    const value = 'value-of-a-tool-of-this-spec';
    const { text } = captureLog((logger) => {
      logger.info('before');
      rememberSecrets([value]);
      logger.error({ error: new Error(`refused ${value}`), sent: encodeURIComponent(value) });
    });
    expect(text).not.toContain(value);
  });
});
