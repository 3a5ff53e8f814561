import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { guardedRequest, type AddressRule } from '@phaseline/tools';

/** Of one answer of a server. */
const MAX_BYTES = 32 * 1024 * 1024;
const WITHOUT_BODY = new Set([204, 205, 304]);

/** `fetch` that judges addresses, does not follow redirects by itself and bounds what it takes. */
export function guardedFetch(rule: AddressRule): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers).entries());
    const body = init.body ?? undefined;
    if (body !== undefined && typeof body !== 'string') throw new TypeError('only texts are sent');
    const response = await guardedRequest(new URL(url), rule, {
      method: init.method ?? 'GET',
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body === undefined ? {} : { body }),
      signal: init.signal ?? new AbortController().signal,
    });
    const status = response.statusCode ?? 500;
    const answered = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of [value ?? []].flat()) answered.append(name, one);
    if (WITHOUT_BODY.has(status)) response.resume();
    const content = WITHOUT_BODY.has(status)
      ? null
      : (Readable.toWeb(Readable.from(bounded(response))) as ReadableStream);
    return new Response(content as ConstructorParameters<typeof Response>[0], { status, headers: answered });
  };
}

async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`the answer is larger than ${MAX_BYTES} bytes`);
    yield chunk;
  }
}
