import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the server got it, read to its end. */
export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** A real HTTP server on a free port that gives the answers of a script, one a request; the last one repeats. */
export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly seen: readonly SeenRequest[];
}

export async function scriptedServer(...answers: readonly Answer[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
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
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** The connection goes away without an answer. */
export const hangUp: Answer = (response) => {
  response.destroy();
};

/** Nothing, ever. */
export const silence: Answer = () => undefined;

/** A stream of events in these pieces, each in a packet of its own; then it ends, breaks or stays open. */
export function stream(pieces: readonly (string | Uint8Array)[], then: 'end' | 'break' | 'stay'): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (then === 'end') response.end();
    // A break in the same turn would throw away what has not left yet.
    if (then === 'break') setTimeout(() => response.destroy(), 20);
  };
}
