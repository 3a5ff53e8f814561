import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { getTestRedisUrl } from './get-test-redis-url.js';

const given = getTestRedisUrl();

describe.skipIf(given === undefined)('getTestRedisUrl (needs a Redis)', () => {
  it('returns the URL of a running server and an existing database', async () => {
    const url = new URL(given!);
    const login = url.password ? `AUTH ${url.password}\r\n` : '';
    const response = await sendCommands(
      Number(url.port || 6379),
      url.hostname,
      `${login}SELECT ${url.pathname.slice(1) || 0}\r\nPING\r\nQUIT\r\n`,
    );
    expect(response).toContain('+PONG');
    expect(response).not.toContain('-ERR');
  });

  it('returns the same URL throughout a file', () => {
    expect(getTestRedisUrl()).toBe(given);
  });
});

function sendCommands(port: number, host: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    connect(port, host)
      .on('data', (chunk) => (response += chunk.toString('latin1')))
      .once('error', reject)
      .once('close', () => resolve(response))
      .write(text);
  });
}
