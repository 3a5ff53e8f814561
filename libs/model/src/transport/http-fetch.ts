import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** Statuses that have no body; `Response` refuses to be made with one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
/** Pieces of a body that wait to be read before the socket is paused. */
const WAITING_PIECES = 64;

/**
 * `fetch` over node:http, as far as the `openai` package needs it. It takes a third of the time of the built-in one
 * (libs/model/README.md has the figures) and has none of its own timeouts, of which the built-in one has two at five
 * minutes: too short for a local model that reads a long prompt. Redirects are not followed, so that a key goes nowhere
 * but to its host. Connections are those of Node's global agents: kept alive, and proxied where `NODE_USE_ENV_PROXY` is set.
 */
export async function httpFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const message = await send(url, init);
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const status = message.statusCode ?? 0;
  if (!WITHOUT_BODY.has(status)) return new Response(bodyOf(message), { status, headers });
  message.resume();
  return new Response(null, { status, headers });
}

function send(url: URL, init: RequestInit): Promise<IncomingMessage> {
  const { body } = init;
  if (typeof body !== 'string' && body !== undefined && body !== null) throw new TypeError('only texts can be sent');
  const headers = Object.fromEntries(new Headers(init.headers));
  if (typeof body === 'string') headers['content-length'] = String(Buffer.byteLength(body));
  const options = { method: init.method ?? 'GET', headers, ...(init.signal ? { signal: init.signal } : {}) };
  // Sent once more, what is paid for could be charged twice without anybody knowing.
  const repeatable = options.method === 'GET';
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const attempt = (mayRepeat: boolean): void => {
      const request: ClientRequest = start(url, options);
      request.once('response', resolve);
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection in the moment in which it was used again; or it went down over the request.
        if (mayRepeat && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
          attempt(false);
        else reject(error);
      });
      request.end(body ?? undefined);
    };
    attempt(repeatable);
  });
}

function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  let over = false;
  const once = (act: () => void): void => {
    if (over) return;
    over = true;
    act();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        message.on('data', (piece: Uint8Array) => {
          if (over) return;
          controller.enqueue(piece);
          if ((controller.desiredSize ?? 0) <= 0) message.pause();
        });
        message.once('end', () => once(() => controller.close()));
        message.on('error', (error) => once(() => controller.error(error)));
        message.once('close', () =>
          once(() => controller.error(new Error('the connection was closed before the end'))),
        );
      },
      pull() {
        message.resume();
      },
      cancel() {
        once(() => message.destroy());
      },
    },
    { highWaterMark: WAITING_PIECES },
  );
}
