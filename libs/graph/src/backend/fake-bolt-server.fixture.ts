import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A failure as Neo4j reports it. */
interface BoltFailure {
  readonly code: string;
  readonly message: string;
}

/** What the server does: after the connection, at the login, and with each query. */
export interface BoltScript {
  /** Version that the server chooses; `none` refuses all that the driver offers, `hang-up` closes the connection first. */
  readonly handshake?: 'none' | 'hang-up';
  readonly login?: BoltFailure;
  /** Failures of the queries in order; after the last, the server drops the connection at every further query. */
  readonly queries?: readonly BoltFailure[];
}

export interface FakeBoltServer {
  readonly url: string;
  /** Number of queries received. */
  readonly queries: () => number;
  close(): Promise<void>;
}

/** Messages of the Bolt protocol by their signature. */
const HELLO = 0x01;
const GOODBYE = 0x02;
const RUN = 0x10;
const SUCCESS = 0x70;
const FAILURE = 0x7f;
const HANDSHAKE_BYTES = 20;
const VERSION_4_4 = Buffer.from([0, 0, 4, 4]);

/**
 * Starts a server that speaks just enough of Bolt 4.4 to fail in the ways of a real one. It stores nothing and answers no query, so it
 * tests the handling of errors only.
 */
export async function startFakeBoltServer(script: BoltScript): Promise<FakeBoltServer> {
  const sockets = new Set<Socket>();
  let queries = 0;
  const answer = (socket: Socket, signature: number): void => {
    if (signature === GOODBYE) socket.end();
    else if (signature === HELLO && script.login) socket.end(encode(FAILURE, { ...script.login }));
    else if (signature === RUN) {
      const failure = script.queries?.[queries];
      queries += 1;
      if (failure) socket.write(encode(FAILURE, { ...failure }));
      else socket.destroy();
    } else socket.write(encode(SUCCESS, signature === HELLO ? { server: 'Neo4j/4.4.0', connection_id: 'fake' } : {}));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    if (script.handshake === 'hang-up') return socket.destroy();
    let received = Buffer.alloc(0);
    let isGreeted = false;
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (!isGreeted) {
        if (received.length < HANDSHAKE_BYTES) return;
        isGreeted = true;
        received = received.subarray(HANDSHAKE_BYTES);
        socket.write(script.handshake === 'none' ? Buffer.alloc(4) : VERSION_4_4);
      }
      for (let end = findMessageEnd(received); end > 0; end = findMessageEnd(received)) {
        // Two bytes of length, the marker of a structure, then its signature.
        const signature = received[3]!;
        received = received.subarray(end);
        answer(socket, signature);
      }
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `bolt://127.0.0.1:${port}`,
    queries: () => queries,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Offset after the first whole message, which ends with an empty chunk; 0 if there is none yet. */
function findMessageEnd(bytes: Buffer): number {
  for (let at = 0; at + 2 <= bytes.length;) {
    const length = bytes.readUInt16BE(at);
    at += 2 + length;
    // Empty chunks between messages keep a connection alive; the driver does not send them.
    if (length === 0) return at;
  }
  return 0;
}

/** Encodes a message with one map of short texts. */
function encode(signature: number, map: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(map);
  const body = Buffer.concat([
    Buffer.from([0xb1, signature, 0xa0 + entries.length]),
    ...entries.flatMap(([name, value]) => [encodeText(name), encodeText(value)]),
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([length, body, Buffer.alloc(2)]);
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0xd0, bytes.length]), bytes]);
}
