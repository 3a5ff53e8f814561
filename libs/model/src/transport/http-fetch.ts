import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Statuses without a body; `Response` cannot be constructed with one. */
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
/** Maximum number of unread body pieces before the socket is paused. */
const MAX_UNREAD_PIECES = 64;

/**
 * Implements the part of `fetch` that the `openai` package needs, over node:http. It takes a third of the time of the
 * built-in `fetch` (see libs/model/README.md). It has no timeouts; the built-in one has two of five minutes, which are too
 * short for a local model that reads a long prompt. Redirects are not followed, so a key is sent only to its
 * host. Connections come from Node's global agents: kept alive, and proxied if `NODE_USE_ENV_PROXY` is set.
 */
export async function httpFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const incoming = await send(url, init);
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const status = incoming.statusCode ?? 0;
  if (!STATUSES_WITHOUT_BODY.has(status)) return new Response(toBodyStream(incoming), { status, headers });
  incoming.resume();
  return new Response(null, { status, headers });
}

function send(url: URL, init: RequestInit): Promise<IncomingMessage> {
  const { body } = init;
  if (typeof body !== 'string' && body !== undefined && body !== null) throw new TypeError('only texts can be sent');
  const headers = Object.fromEntries(new Headers(init.headers));
  if (typeof body === 'string') headers['content-length'] = String(Buffer.byteLength(body));
  const options = { method: init.method ?? 'GET', headers, ...(init.signal ? { signal: init.signal } : {}) };
  // Repeating a paid request could charge it twice without notice.
  const isRepeatable = options.method === 'GET';
  const openRequest = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const attempt = (canRepeat: boolean): void => {
      const request: ClientRequest = openRequest(url, options);
      request.once('response', resolve);
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection just as it was reused, or it crashed while handling the request.
        if (canRepeat && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
          attempt(false);
        else reject(error);
      });
      request.end(body ?? undefined);
    };
    attempt(isRepeatable);
  });
}

function toBodyStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let isFinished = false;
  const finishOnce = (finish: () => void): void => {
    if (isFinished) return;
    isFinished = true;
    finish();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on('data', (piece: Uint8Array) => {
          if (isFinished) return;
          controller.enqueue(piece);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once('end', () => finishOnce(() => controller.close()));
        incoming.on('error', (error) => finishOnce(() => controller.error(error)));
        incoming.once('close', () =>
          finishOnce(() => controller.error(new Error('the connection was closed before the end'))),
        );
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        finishOnce(() => incoming.destroy());
      },
    },
    { highWaterMark: MAX_UNREAD_PIECES },
  );
}
