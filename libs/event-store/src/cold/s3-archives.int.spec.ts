import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLocalServer, type LocalServer } from '@phaseline/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { archiveName } from './archive-store.js';
import { openColdStorage } from './open-cold-storage.js';
import { S3Archives } from './s3-archives.js';

const content = Buffer.from('events');
const name = archiveName('job', hash('sha256', content, 'hex'));

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<LocalServer> {
  const server = await startLocalServer(handle);
  onTestFinished(() => server.close());
  return server;
}

function open({ url }: LocalServer, attemptTimeoutMs = 5_000): S3Archives {
  const keys = { accessKeyId: 'ID', secretAccessKey: 'SECRET', region: 'eu-central-1' };
  return new S3Archives(
    { ...keys, bucket: 'cold', prefix: 'a/b', endpoint: url },
    { attemptTimeoutMs, firstPauseMs: 1 },
  );
}

const refuse = (response: ServerResponse, status: number, code: string): unknown =>
  response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);

describe('archives in a bucket', () => {
  it('are stored with a signature and both checksums, again after failures of the service', async () => {
    let failures = 3;
    const bodies: string[] = [];
    const server = await serve((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        bodies.push(Buffer.concat(pieces).toString());
        failures -= 1;
        if (failures === 2) response.destroy();
        else if (failures >= 0) refuse(response, 503, 'SlowDown');
        else response.end();
      });
    });
    await open(server).put(name, content);
    expect(bodies).toEqual(Array(4).fill('events'));
    const { method, url, headers } = server.requests.at(-1)!;
    expect({ method, url }).toEqual({ method: 'PUT', url: `/cold/a/b/${name}` });
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=ID\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=/,
    );
    expect(headers).toMatchObject({
      'x-amz-content-sha256': hash('sha256', content, 'hex'),
      'x-amz-checksum-sha256': hash('sha256', content, 'base64'),
    });
    expect(JSON.stringify(headers)).not.toContain('SECRET');
  });

  it('are missing only if the service says so of the key', async () => {
    let code = 'NoSuchKey';
    const server = await serve((_, response) => refuse(response, 404, code));
    expect(await open(server).get(name)).toBeUndefined();
    code = 'NoSuchBucket';
    await expect(open(server).get(name)).rejects.toThrow(/s3:\/\/cold\/a\/b .*status 404 \(NoSuchBucket\)/);
  });

  it('are not asked for again if the service refuses, and never forever', async () => {
    const refusing = await serve((_, response) => refuse(response, 403, 'AccessDenied'));
    await expect(open(refusing).put(name, content)).rejects.toMatchObject({ code: 'cold_storage_unavailable' });
    expect(refusing.requests).toHaveLength(1);
    const silent = await serve(() => undefined);
    await expect(open(silent, 50).get(name)).rejects.toThrow(/could not store or return .*timeout/);
  });

  it('need a bucket with a valid name and a key, and the setting that is missing is named', () => {
    const keys = {
      PHASELINE_COLD_STORAGE_KEY_ID: 'ID',
      PHASELINE_COLD_STORAGE_SECRET_KEY: 'SECRET',
      PHASELINE_COLD_STORAGE_REGION: 'eu-central-1',
    };
    const tryOpen = (place: string, settings: object = keys): (() => unknown) => {
      return () => openColdStorage({ PHASELINE_COLD_STORAGE: place, ...settings })?.archives.location;
    };
    expect(tryOpen('s3://cold/a/b/')()).toBe('s3://cold/a/b');
    expect(tryOpen('s3://cold')()).toBe('s3://cold');
    expect(tryOpen(' ')()).toBeUndefined();
    for (const place of ['s3://', 's3:cold', 's3://Cold', 's3://cold/a b', 's3://cold//a', 'S3://cold'])
      expect(tryOpen(place)).toThrow('expected s3://bucket/prefix');
    for (const setting of Object.keys(keys))
      expect(tryOpen('s3://cold', { ...keys, [setting]: ' ' })).toThrow(`needs ${setting}`);
    expect(
      tryOpen('s3://cold', {
        ...keys,
        PHASELINE_COLD_STORAGE_REGION: '',
        PHASELINE_COLD_STORAGE_ENDPOINT: 'http://127.0.0.1:1',
      })(),
    ).toBe('s3://cold');
  });
});
