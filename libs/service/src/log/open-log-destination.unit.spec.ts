import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createLogger } from './create-logger.js';
import { openLogDestination } from './open-log-destination.js';

it('writes lines for people on a terminal, without secrets, and JSON elsewhere', async () => {
  expect(await openLogDestination(false)).toBeUndefined();
  const output = new PassThrough({ encoding: 'utf8' });
  const destination = await openLogDestination(true, output);
  const logger = createLogger({
    service: 'tool-runner',
    processId: 'tool-runner-1',
    level: 'info',
    env: { OPENAI_API_KEY: 'a-model-key-without-a-known-shape' },
    destination: destination!,
  });
  logger.warn({ jobId: 'j1', key: 'a-model-key-without-a-known-shape' }, 'a call failed');
  const text = String(output.read()).replace(/\u001b\[\d+m/g, '');
  expect(text).toMatch(
    /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: a call failed \{"service":"tool-runner","jobId":"j1","key":"\*\*\*"\}\n$/,
  );
});
