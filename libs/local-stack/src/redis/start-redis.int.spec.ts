import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findRedisServer, startRedis, type RedisOptions, type RunningRedis } from './start-redis.js';

const found = await findRedisServer();
const running: RunningRedis[] = [];

afterEach(async () => {
  for (const redis of running.splice(0)) await redis.stop();
});

async function start(options?: RedisOptions): Promise<RunningRedis> {
  const redis = await startRedis(options);
  running.push(redis!);
  return redis!;
}

function sendCommands(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    connect(port, '127.0.0.1')
      .on('data', (chunk) => (answer += chunk.toString('latin1')))
      .once('error', reject)
      .once('close', () => resolve(answer))
      .write(`${text}QUIT\r\n`);
  });
}

function authCommand({ url }: RunningRedis): string {
  return `AUTH ${new URL(url).password}\r\n`;
}

describe('findRedisServer', () => {
  it('returns undefined for an empty PATH', async () => {
    expect(await findRedisServer('')).toBeUndefined();
  });
});

describe.skipIf(found === undefined)('startRedis (needs a redis-server)', () => {
  it('rejects commands without the password', async () => {
    const redis = await start();
    expect(await sendCommands(redis.port, 'GET a\r\n')).toContain('NOAUTH');
    expect(await sendCommands(redis.port, `${authCommand(redis)}SET a b\r\nGET a\r\n`)).toContain('\r\nb\r\n');
  });

  it('keeps data only if it has a folder, including everything acknowledged a second ago', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-spec-'));
    const kept = await start({ dataDir: folder });
    await sendCommands(kept.port, `${authCommand(kept)}SET a b\r\n`);
    await kept.stop();
    const again = await start({ dataDir: folder });
    expect(await sendCommands(again.port, `${authCommand(again)}GET a\r\n`)).toContain('\r\nb\r\n');
    await again.stop();
    await rm(folder, { recursive: true });
  });

  it('keeps the password out of the command line', async () => {
    const redis = await start();
    const [, pid] =
      /process_id:(\d+)/.exec(await sendCommands(redis.port, `${authCommand(redis)}INFO server\r\n`)) ?? [];
    expect(await readFile(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(new URL(redis.url).password);
  });

  it('reports that a port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await expect(startRedis({ port })).rejects.toMatchObject({ code: 'port_in_use' });
    other.close();
  });
});
