import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';
import { assertArchiveName, type ArchiveStore } from './archive-store.js';
import { ColdStorageUnavailable } from './cold-errors.js';

/** Time limit of one attempt in milliseconds, with the whole archive. */
const ATTEMPT_TIMEOUT_MS = 120_000;
/** Together about seven seconds, which is longer than a load balancer takes to find another server. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 200;

export interface S3Settings {
  readonly bucket: string;
  /** Prefix of all keys, without a slash at either end; may be empty. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface S3Options {
  readonly attemptTimeoutMs?: number;
  readonly firstPauseMs?: number;
}

interface S3Response {
  readonly status: number;
  readonly body: Uint8Array;
}

/** Stores archives in a bucket of an S3-compatible service, which keeps an object once it has confirmed it. */
export class S3Archives implements ArchiveStore {
  readonly location: string;
  private client: Promise<AwsClient> | undefined;

  constructor(
    private readonly settings: S3Settings,
    private readonly options: S3Options = {},
  ) {
    this.location = `s3://${[settings.bucket, settings.prefix].filter(Boolean).join('/')}`;
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    // The service computes both of what it received, and stores nothing if they differ.
    const headers = {
      'x-amz-content-sha256': hash('sha256', content, 'hex'),
      'x-amz-checksum-sha256': hash('sha256', content, 'base64'),
    };
    const { status, body } = await this.request('PUT', name, { body: Buffer.from(content), headers });
    if (status !== 200) throw this.fail(name, status, body);
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    const { status, body } = await this.request('GET', name, {});
    if (status === 200) return body;
    // A missing bucket is a 404 too.
    if (status === 404 && readErrorCode(body) === 'NoSuchKey') return undefined;
    throw this.fail(name, status, body);
  }

  /** Repeats a request until the service has answered it. Each archive has a name of its own, so repeating changes nothing. */
  private async request(method: string, name: string, init: RequestInit): Promise<S3Response> {
    assertArchiveName(name);
    const { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, firstPauseMs = FIRST_PAUSE_MS } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const response = await this.attempt(method, name, { ...init, signal: AbortSignal.timeout(attemptTimeoutMs) });
        if (attempt === ATTEMPTS || !isTemporary(response.status)) return response;
      } catch (error) {
        if (attempt === ATTEMPTS) throw new ColdStorageUnavailable(name, this.location, describeCause(error), error);
      }
      // Randomised, so that services that failed together do not return together.
      await sleep(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  private async attempt(method: string, name: string, init: RequestInit): Promise<S3Response> {
    const { endpoint, bucket, prefix } = this.settings;
    const url = [endpoint.replace(/\/$/, ''), bucket, prefix, name].filter(Boolean).join('/');
    this.client ??= this.createClient();
    // A redirect would need another signature.
    const request = await (await this.client).sign(url, { ...init, method, redirect: 'manual' });
    const response = await fetch(request);
    return { status: response.status, body: await response.bytes() };
  }

  private async createClient(): Promise<AwsClient> {
    // Only processes with such a storage load it.
    const { AwsClient } = await import('aws4fetch');
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.settings;
    return new AwsClient({
      ...{ accessKeyId, secretAccessKey, region, service: 's3' },
      ...(sessionToken === undefined ? {} : { sessionToken }),
    });
  }

  private fail(name: string, status: number, body: Uint8Array): ColdStorageUnavailable {
    const code = readErrorCode(body);
    return new ColdStorageUnavailable(name, this.location, `status ${status}${code === undefined ? '' : ` (${code})`}`);
  }
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Reads the code of an error response, such as AccessDenied. */
function readErrorCode(body: Uint8Array): string | undefined {
  return /<Code>([A-Za-z0-9]{1,60})<\/Code>/.exec(Buffer.from(body.subarray(0, 4_096)).toString())?.[1];
}

/** `fetch` hides the reason of a network error in its cause. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
