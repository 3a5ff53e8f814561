import { tmpdir } from 'node:os';
import { Client, SdkHttpError, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpServer } from '@phaseline/domain';
import { fillReferences, withoutSecrets, type AddressRule } from '@phaseline/tools';
import { guardedFetch } from './guarded-fetch.js';
import { readByMessageBuffer } from './message-buffer.js';

/** A server that a package manager has to fetch first takes that long. */
const CONNECT_MS = 60_000;
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Of what a server writes to its standard error, for messages. */
const STDERR_CHARACTERS = 2_000;

export interface ConnectOptions {
  readonly rule: AddressRule;
  /** What `${NAME}` in the settings stands for; the environment of this process, unless told otherwise. */
  readonly variables?: NodeJS.ProcessEnv;
}

/** A server that answers. */
export interface Connection {
  readonly client: Client;
  /** False once the server has gone. */
  readonly isOpen: boolean;
  /** A text without the secrets that this server was given. */
  clean(text: string): string;
  /** What the server wrote to its standard error last, without secrets. */
  complaint(): string;
  close(): Promise<void>;
}

/** Starts or reaches a server and greets it. Throws an Error that says why it cannot, without secrets. */
export async function connect(server: McpServer, options: ConnectOptions, signal: AbortSignal): Promise<Connection> {
  const env = fillReferences(server.env, options.variables);
  const headers = fillReferences(server.headers, options.variables);
  const secrets = { ...env.secrets, ...headers.secrets };
  const client = new Client({ name: 'phaseline', version: '0.0.0' });
  let stderr = '';
  let transport: Transport;
  if (server.url !== undefined) {
    transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: guardedFetch(options.rule),
      requestInit: { headers: headers.values },
    });
  } else {
    const stdio = new StdioClientTransport({
      command: server.command!,
      args: server.args,
      // Added to the few variables that the transport passes on by itself: the path, the home folder and the like.
      env: { ...env.values },
      cwd: tmpdir(),
      stderr: 'pipe',
    });
    stdio.stderr?.on('data', (chunk: Buffer) => {
      stderr = `${stderr}${chunk.toString('utf8')}`.slice(-STDERR_CHARACTERS);
    });
    readByMessageBuffer(stdio, MAX_MESSAGE_BYTES);
    transport = stdio;
  }
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
  };
  // Broken streams show in the calls that need them.
  client.onerror = () => undefined;
  const clean = (text: string): string => withoutSecrets(text, secrets);
  try {
    await client.connect(transport, { signal, timeout: CONNECT_MS });
  } catch (error) {
    await client.close().catch(() => undefined);
    const said = stderr.trim() === '' ? '' : ` It wrote: ${stderr.trim()}`;
    throw new Error(clean(`${messageOf(error)}${said}`), { cause: error });
  }
  return {
    client,
    get isOpen() {
      return isOpen;
    },
    clean,
    complaint: () => clean(stderr.trim()),
    close: () => client.close(),
  };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SdkHttpError) return `it answered ${error.status} (${error.message.trim().slice(0, 500)})`;
  // `fetch failed` and the like say why in their cause.
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
