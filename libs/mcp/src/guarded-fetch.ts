import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { sendGuardedRequest, type AddressRule } from '@phaseline/sandbox';

/** Maximum size of one response in bytes. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const STATUSES_WITHOUT_BODY = new Set([204, 205, 304]);

/** Creates a `fetch` that checks addresses, does not follow redirects and limits the size of responses. */
export function createGuardedFetch(rule: AddressRule): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const body = init.body ?? undefined;
    if (body !== undefined && typeof body !== 'string') throw new TypeError('only text bodies are supported');
    const response = await sendGuardedRequest(new URL(url), rule, {
      method: init.method ?? 'GET',
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body === undefined ? {} : { body }),
      signal: init.signal ?? new AbortController().signal,
    });
    const status = response.statusCode ?? 500;
    const responseHeaders = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const entry of [value ?? []].flat()) responseHeaders.append(name, entry);
    if (STATUSES_WITHOUT_BODY.has(status)) response.resume();
    const content = STATUSES_WITHOUT_BODY.has(status)
      ? null
      : (Readable.toWeb(Readable.from(limitBytes(response))) as ReadableStream);
    return new Response(content as ConstructorParameters<typeof Response>[0], { status, headers: responseHeaders });
  };
}

async function* limitBytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    yield chunk;
  }
}
