import { Client, SdkHttpError, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { MaskedStream, type SecretMask } from '@phaseline/basics/secrets';
import type { McpServer } from '@phaseline/contracts';
import type { CallSecrets, ReadSecrets } from '@phaseline/tools';
import type { AddressRule, CommandConnection, Sandbox } from '@phaseline/sandbox';
import { createGuardedFetch } from './guarded-fetch.js';
import { ContainedTransport } from './contained-transport.js';

/** Timeout for connecting. Long enough for a package manager to download the server first. */
const CONNECT_TIMEOUT_MS = 60_000;
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Number of characters kept from the end of a server's standard error, for error messages. */
const MAX_STDERR_CHARACTERS = 2_000;

export interface ConnectOptions {
  readonly rule: AddressRule;
  /** Contains the servers that are started as processes. */
  readonly sandbox: Sandbox;
  /** Values for `${NAME}` in the settings. Defaults to the environment of this process. */
  readonly variables?: NodeJS.ProcessEnv;
  /** Reads the secrets that servers use while their tools are listed. A call has its own. */
  readonly readSecrets?: ReadSecrets;
}

/** A connection to a server. */
export interface Connection {
  readonly client: Client;
  /** False once the connection is closed. */
  readonly isOpen: boolean;
  /** Removes the secrets that this server was given from a text. */
  removeSecrets(text: string): string;
  /** Returns the end of the server's standard error, without secrets. */
  readLastStderr(): string;
  /** Returns the connections that the server made and that ended since the last time. */
  takeConnections(): readonly CommandConnection[];
  close(): Promise<void>;
}

/** Environment and headers of a server, with the values that its settings refer to. */
export interface ServerValues {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Fills in the values that the settings of a server refer to. Throws ToolError. */
export async function fillServerValues(
  server: McpServer,
  secrets: CallSecrets,
  { variables }: ConnectOptions,
): Promise<ServerValues> {
  return {
    env: await secrets.fill(server.env, server.secrets, variables),
    headers: await secrets.fill(server.headers, server.secrets, variables),
  };
}

/** Starts or connects to a server and initialises the session. Throws an Error with the reason, without the values in `mask`. */
export async function connect(
  server: McpServer,
  { env, headers }: ServerValues,
  mask: SecretMask,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connection> {
  const client = new Client({ name: 'phaseline', version: '0.0.0' });
  let stderr = '';
  const output = new MaskedStream(mask);
  const connections: CommandConnection[] = [];
  let transport: Transport;
  if (server.url !== undefined) {
    transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: createGuardedFetch(options.rule),
      requestInit: { headers: { ...headers } },
    });
  } else {
    transport = new ContainedTransport(options.sandbox, {
      command: server.command!,
      args: server.args,
      env,
      network: server.network,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      onConnection: (connection) => void connections.push(connection),
      onStderr: (chunk) => {
        // Masked before it is cut, because a part of a value would not be recognised afterwards.
        stderr = `${stderr}${output.push(chunk).toString('utf8')}`.slice(-MAX_STDERR_CHARACTERS);
      },
    });
  }
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
  };
  // A broken stream is reported by the calls that use it.
  client.onerror = () => undefined;
  const clean = (text: string): string => mask.maskText(text);
  const readLastStderr = (): string => `${stderr}${output.peek().toString('utf8')}`.trim();
  try {
    await client.connect(transport, { signal, timeout: CONNECT_TIMEOUT_MS });
  } catch (error) {
    await client.close().catch(() => undefined);
    const written = readLastStderr();
    const note = written === '' ? '' : ` It wrote: ${written}`;
    throw new Error(`${clean(describeError(error))}${note}`, { cause: error });
  }
  return {
    client,
    get isOpen() {
      return isOpen;
    },
    removeSecrets: clean,
    readLastStderr,
    takeConnections: () => connections.splice(0),
    close: () => client.close(),
  };
}

export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SdkHttpError) return `it responded with ${error.status} (${error.message.trim().slice(0, 500)})`;
  // Errors such as `fetch failed` carry the reason in their cause.
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
