import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolError } from '@phaseline/contracts';
import { checkUrl, sendGuardedRequest, type AddressRule, type GuardedRequest } from '@phaseline/sandbox';

const MAX_REDIRECTS = 5;

export interface Download {
  /** Final address, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Content type in lower case without parameters; empty when the server sends none. */
  readonly contentType: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
}

/**
 * Downloads a URL. Follows at most five redirects and checks each like the first address. `maxBytes` limits the decompressed size.
 *
 * Throws ToolError `too_many_redirects`, `too_large`, `http_error` (retryable for status 429 and 5xx), and what sendGuardedRequest throws.
 */
export async function download(
  address: string,
  rule: AddressRule,
  maxBytes: number,
  request: GuardedRequest,
): Promise<Download> {
  let url = parseUrl(address);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await sendGuardedRequest(url, rule, {
      ...request,
      headers: {
        accept: 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.8,*/*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': 'phaseline/0 (agent)',
        ...request.headers,
      },
    });
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (status < 300 || status >= 400 || location === undefined)
      return readResponse(url, response, maxBytes, request.signal);
    response.destroy();
    if (request.body !== undefined)
      throw new ToolError('http_error', `${url.host} responded with a redirect, which this tool does not follow.`);
    url = parseUrl(location, url);
    checkUrl(url, rule);
  }
  throw new ToolError('too_many_redirects', `${address} redirects more than ${MAX_REDIRECTS} times. Use another URL.`);
}

function parseUrl(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href))
    throw new ToolError(
      'bad_url',
      `${JSON.stringify(address.slice(0, 200))} is not a URL such as https://example.org/page.`,
    );
  return new URL(address, base);
}

async function readResponse(
  url: URL,
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Download> {
  const status = response.statusCode ?? 0;
  if (status >= 400) {
    response.destroy();
    const retryable = status === 429 || status >= 500;
    throw new ToolError(
      'http_error',
      `${url.host} responded with ${status} ${response.statusMessage ?? ''}`.trim() + '.',
      {
        retryable,
      },
    );
  }
  const [type = '', ...parameters] = (response.headers['content-type'] ?? '').split(';');
  const charset = parameters.map((one) => /^\s*charset="?([^"\s]+)"?/i.exec(one)?.[1]).find(Boolean);
  const bytes = await readBody(response, url, maxBytes, signal);
  return { url: url.href, status, contentType: type.trim().toLowerCase(), charset, bytes };
}

async function readBody(
  response: IncomingMessage,
  url: URL,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const tooLarge = (): ToolError =>
    new ToolError('too_large', `The response of ${url.host} is larger than ${maxBytes} bytes. Use a smaller page.`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decompress(response) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ToolError) throw cause;
    throw new ToolError('unreachable', `${url.host} closed the connection before the response was complete.`, {
      retryable: true,
      cause,
    });
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks);
}

function decompress(response: IncomingMessage): Readable {
  switch (response.headers['content-encoding']?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return pipeline(response, createGunzip(), () => undefined);
    case 'deflate':
      return pipeline(response, createInflate(), () => undefined);
    case 'br':
      return pipeline(response, createBrotliDecompress(), () => undefined);
    default:
      return response;
  }
}
