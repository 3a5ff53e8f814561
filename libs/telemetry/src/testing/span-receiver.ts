import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { readSpans, type ReceivedSpan } from './read-spans.js';

/** A collector for specs: receives spans over OTLP/HTTP and keeps them. */
export class SpanReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Headers of the requests. */
  readonly headers: IncomingHttpHeaders[] = [];

  private constructor(
    private readonly server: Server,
    /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
    readonly endpoint: string,
  ) {}

  static async start(): Promise<SpanReceiver> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        receiver.headers.push(request.headers);
        receiver.spans.push(...readSpans(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new SpanReceiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return receiver;
  }

  ofTrace(traceId: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
