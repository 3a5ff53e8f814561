import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { redisUrlForTests } from './redis-url-for-tests.js';

const given = redisUrlForTests();

describe.skipIf(given === undefined)('redisUrlForTests (needs a Redis)', () => {
  it('names a server that answers and a database that exists', async () => {
    const url = new URL(given!);
    const login = url.password ? `AUTH ${url.password}\r\n` : '';
    const answer = await talk(
      Number(url.port || 6379),
      url.hostname,
      `${login}SELECT ${url.pathname.slice(1) || 0}\r\nPING\r\nQUIT\r\n`,
    );
    expect(answer).toContain('+PONG');
    expect(answer).not.toContain('-ERR');
  });

  it('gives the same answer for the whole file', () => {
    expect(redisUrlForTests()).toBe(given);
  });
});

function talk(port: number, host: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    connect(port, host)
      .on('data', (chunk) => (answer += chunk.toString('latin1')))
      .once('error', reject)
      .once('close', () => resolve(answer))
      .write(text);
  });
}
