import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the server received, with its whole body. */
interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type ScriptedResponse = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

/** An HTTP server on a free port that sends scripted responses, one per request; the last one repeats. */
export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
}

export async function startScriptedServer(...answers: readonly ScriptedResponse[]): Promise<ScriptedServer> {
  const seen: ReceivedRequest[] = [];
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '/', 'http://server'),
      headers: incoming.headers,
      body: Buffer.concat(chunks),
    };
    seen.push(request);
    await answers[Math.min(seen.length, answers.length) - 1]?.(response, request);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function respondWithJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Closes the connection without a response. */
export const closeConnection: ScriptedResponse = (response) => {
  response.destroy();
};

/** Never responds. */
export const neverRespond: ScriptedResponse = () => undefined;

/** Sends an event stream in these pieces, each in its own packet; then ends it, breaks the connection or leaves it open. */
export function respondWithStream(
  pieces: readonly (string | Uint8Array)[],
  then: 'end' | 'break' | 'stay',
): ScriptedResponse {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (then === 'end') response.end();
    // Destroying the connection in the same turn would discard data that has not been sent.
    if (then === 'break') setTimeout(() => response.destroy(), 20);
  };
}
