import { ServerSentEventParser, type ServerSentEvent } from '@phaseline/basics';
import { RequestRefused, RequestTimedOut, ServerUnreachable, UnexpectedResponse } from './client-errors.js';
import { EVENT_STREAM_MEDIA_TYPE } from './routes.js';
import type { ApiRequest, Transport } from './transport.js';

/** Time without data after which a connection is considered dead, by default. Servers send something every 15 seconds. */
const IDLE_TIMEOUT_MS = 45_000;

/** The connection was lost before the end of the stream. */
export class StreamCut extends Error {}

/** What one read of a stream has brought. */
interface StreamPart {
  readonly events: readonly ServerSentEvent[];
  /** Id of the last event, also of one without data. */
  readonly lastEventId: string;
}

/**
 * Opens a stream of server-sent events, and yields what arrives until the reader leaves. Throws a PhaselineClientError if it cannot be opened, and
 * StreamCut when the connection is lost.
 */
export async function openStream(
  transport: Transport,
  request: Omit<ApiRequest, 'method'>,
  idleTimeoutMs: number = IDLE_TIMEOUT_MS,
): Promise<AsyncGenerator<StreamPart, never, undefined>> {
  const title = `GET ${request.path}`;
  const headers = { accept: EVENT_STREAM_MEDIA_TYPE, ...request.headers };
  const reader = await transport.send({ ...request, method: 'GET', headers }, async (response) => {
    const body = response.body?.getReader();
    if (body && response.headers.get('content-type')?.startsWith(EVENT_STREAM_MEDIA_TYPE)) return body;
    await body?.cancel();
    throw new UnexpectedResponse(title, `the response is not of type ${EVENT_STREAM_MEDIA_TYPE}`);
  });
  return readParts(reader, title, idleTimeoutMs);
}

/** Parses the data of an event. Throws UnexpectedResponse. */
export function parseEventData<Value>(path: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new UnexpectedResponse(`GET ${path}`, 'an event of the stream is malformed', { cause: error });
  }
}

/** Whether an error can be caused by a restart of the server. Any other error would recur. */
export function isTransient(error: unknown): boolean {
  if (error instanceof StreamCut || error instanceof ServerUnreachable || error instanceof RequestTimedOut) return true;
  return error instanceof RequestRefused ? error.status >= 500 || error.status === 429 : false;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function* readParts(
  reader: Reader,
  title: string,
  idleTimeoutMs: number,
): AsyncGenerator<StreamPart, never, undefined> {
  const parser = new ServerSentEventParser();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const chunk = await readWithin(reader, idleTimeoutMs);
      const events = parseEvents(parser, title, decoder.decode(chunk, { stream: true }));
      yield { events, lastEventId: parser.lastEventId };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvents(parser: ServerSentEventParser, title: string, text: string): readonly ServerSentEvent[] {
  try {
    return parser.push(text);
  } catch (error) {
    throw new UnexpectedResponse(title, 'the event stream is malformed', { cause: error });
  }
}

async function readWithin(reader: Reader, idleTimeoutMs: number): Promise<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamCut(`no data received for ${idleTimeoutMs} ms`)), idleTimeoutMs);
  });
  try {
    const { done, value } = await Promise.race([reader.read(), idle]);
    if (done || value === undefined) throw new StreamCut('the stream closed before its end');
    return value;
  } catch (error) {
    throw error instanceof StreamCut ? error : new StreamCut('the stream broke', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
